#!/usr/bin/env bash
# Builds the fuzz targets and runs each for so many seconds (15 if none are given):
#
#     Tests/Fuzz/run.sh [SECONDS] [TARGET…]
#     Tests/Fuzz/run.sh --check     whether they fit the modules of `swift build --build-tests`
#
# The invariant of all: a value or a typed error; no trap, no hang, no more memory than a bound.
# New inputs that libFuzzer finds are kept in a folder outside the tree; `corpus/TARGET` are the
# seeds. An input that breaks the invariant is printed in base64 and becomes a test beside its fix.
set -euo pipefail
cd "$(dirname "$0")/../.."
language=(-swift-version 6 -parse-as-library -suppress-warnings
    -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny
    -I Sources/CBytes -I Sources/CLinux)
if [ "${1-}" = --check ]; then
    for target in Tests/Fuzz/*.swift; do
        swiftc -typecheck "${language[@]}" -I .build/debug/Modules \
            -package-name "$(basename "$PWD" | tr A-Z a-z)" "$target"
    done
    exit
fi
seconds=${1:-15}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(Request Response JSON Schema Link Journal NATS Shared); fi
out=${FUZZ_OUT:-.build/fuzz}
mkdir -p "$out"
flags=(-O -wmo "${language[@]}" -package-name navstate -enable-testing
    -sanitize=fuzzer,address -I "$out")

# The targets of the package that are fuzzed. Those in one line do not need each other.
layers=("Bytes" "JSON HTTP POSIX" "Navigation NATS" "Sessions" "Cluster Storage")

needs() {
    case $1 in
        Request | Response) echo Bytes HTTP ;;
        JSON | Schema) echo Bytes JSON ;;
        Link) echo Bytes JSON Navigation ;;
        NATS) echo Bytes JSON NATS ;;
        Shared) echo Bytes JSON NATS Navigation Sessions POSIX Cluster ;;
        Journal) echo Bytes JSON Navigation Sessions POSIX Storage ;;
    esac
}

build() {
    local sources stamp
    mapfile -t sources < <(find "Sources/$1" -name '*.swift' | sort)
    stamp=$(cat "${sources[@]}" | cksum)
    if [ -f "$out/$1.o" ] && [ "$(cat "$out/$1.stamp" 2>/dev/null)" = "$stamp" ]; then return; fi
    echo "building $1"
    swiftc "${flags[@]}" -module-name "$1" -emit-module -emit-module-path "$out/$1.swiftmodule" \
        -c "${sources[@]}" -o "$out/$1.o" || return
    echo "$stamp" >"$out/$1.stamp"
}

fuzz() {
    local name objects=()
    for name in $(needs "$1"); do objects+=("$out/$name.o"); done
    swiftc "${flags[@]}" -module-name "$1Fuzz" "Tests/Fuzz/$1Fuzz.swift" "${objects[@]}" \
        -o "$out/$1" || return
    mkdir -p "$out/found/$1" "$out/crashes"
    local status=0
    ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no "$out/$1" \
        "$out/found/$1" "Tests/Fuzz/corpus/$1" -max_total_time="$seconds" \
        -max_len=4096 -timeout=5 -rss_limit_mb=1024 -artifact_prefix="$out/crashes/$1-" \
        -print_final_stats=1 -verbosity=0 >"$out/$1.log" 2>&1 || status=$?
    echo "== $1 for $seconds s"
    if [ $status -ne 0 ]; then tail -40 "$out/$1.log"; fi
    grep -E "stat::(number_of_executed_units|average_exec|peak_rss|new_units)" "$out/$1.log" || true
    return $status
}

# Runs a command for each of the arguments at the same time.
#
#     together COMMAND ARGUMENT…
together() {
    local command=$1 argument started=() status=0
    shift
    for argument in "$@"; do
        "$command" "$argument" &
        started+=($!)
    done
    for process in "${started[@]}"; do wait "$process" || status=1; done
    return $status
}

needed=" $(for target in "${targets[@]}"; do needs "$target"; done | tr '\n' ' ') "
for layer in "${layers[@]}"; do
    names=()
    for name in $layer; do
        if [[ $needed == *" $name "* ]]; then names+=("$name"); fi
    done
    together build "${names[@]}"
done

# Two at a time; each of them uses one processor.
failed=0
for ((first = 0; first < ${#targets[@]}; first += 2)); do
    together fuzz "${targets[@]:first:2}" || failed=1
done
exit $failed
