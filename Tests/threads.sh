#!/usr/bin/env bash
# The targets with threads under the thread sanitizer. It builds all targets again, so only `.ci/full`
# runs it. Run it by hand after changes of Storage, Server or POSIX.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
# Without TurnTests, which counts the work of one thread and takes minutes here.
swift test --sanitize=thread --scratch-path .build/thread --filter "StorageTests|ServerTests" \
    --skip "TurnTests|StyleTests"
