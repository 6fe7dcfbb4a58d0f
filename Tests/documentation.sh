#!/usr/bin/env bash
# Converts the documentation of the Swift client. A link to a symbol that does not exist fails. Needs
# a debug build.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/symbols"
swift symbolgraph-extract -module-name NavstateClient -I .build/debug/Modules -I Sources/CBytes \
    -target "$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -1)" \
    -minimum-access-level public -output-dir "$work/symbols"
docc convert Sources/NavstateClient/NavstateClient.docc --warnings-as-errors \
    --additional-symbol-graph-dir "$work/symbols" --output-path "$work/out"
