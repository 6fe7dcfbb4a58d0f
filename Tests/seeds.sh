#!/usr/bin/env bash
# Runs a suite of random tests once for each seed, each in a process of its own:
#
#     Tests/seeds.sh SUITE [COUNT] [FIRST]
#
# SUITE is a regular expression that the names of tests are matched with, as in `swift test
# --filter`. If nothing else is given, it runs 2,000 seeds from 0. It uses the tests that `swift
# build --build-tests` has built, or those in NAVSTATE_TESTS. It prints the seeds whose tests fail,
# with what went wrong, and ends with 1 if there are any.
#
# This repeats one of them:
#
#     NAVSTATE_SEED=SEED swift test --skip-build --filter SUITE
#
# NAVSTATE_WORLDS=1 makes a seed cheaper (see Tests/Support/SplitMix64.swift).
set -euo pipefail
cd "$(dirname "$0")/.."
suite=$1 count=${2:-2000} first=${3:-0}
tests=${NAVSTATE_TESTS:-.build/debug/navstatePackageTests.xctest}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
red=0
for ((seed = first; seed < first + count; seed++)); do
    status=0
    NAVSTATE_SEED=$seed "$tests" --testing-library swift-testing --filter "$suite" \
        >"$output" 2>&1 || status=$?
    # A filter that matches nothing is not a success.
    if ((seed == first)) && grep -q 'with 0 tests' "$output"; then
        echo "no test matches $suite" >&2
        exit 2
    fi
    if ((status != 0)); then
        red=$((red + 1))
        echo "red: NAVSTATE_SEED=$seed (exit $status)"
        grep -aE 'recorded an issue|Fatal error|Caught error' "$output" | head -3 || true
    fi
done
echo "$suite: $count seeds from $first, $red of them red"
((red == 0))
