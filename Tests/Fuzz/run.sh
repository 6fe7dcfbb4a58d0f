#!/usr/bin/env bash
# Builds the fuzz targets and runs each for so many seconds (15 if none are given):
#
#     Tests/Fuzz/run.sh [SECONDS] [TARGET…]
#
# The invariant of all: a value or a typed error; no trap, no hang, no more memory than a bound.
# What libFuzzer finds new is kept in a folder outside the tree; `corpus/TARGET` are the seeds. An
# input that breaks the invariant is printed in base64 and becomes a test beside its fix.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-15}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(Request Response JSON Schema Link Journal NATS Shared); fi
out=${FUZZ_OUT:-.build/fuzz}
mkdir -p "$out"
flags=(-O -wmo -swift-version 6 -parse-as-library -package-name navstate -enable-testing
    -sanitize=fuzzer,address -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny
    -I "$out" -I Sources/CBytes -I Sources/CLinux -suppress-warnings)

room() {
    local sources stamp
    mapfile -t sources < <(find "Sources/$1" -name '*.swift' | sort)
    stamp=$(cat "${sources[@]}" | cksum)
    if [ -f "$out/$1.o" ] && [ "$(cat "$out/$1.stamp" 2>/dev/null)" = "$stamp" ]; then return; fi
    echo "building $1"
    swiftc "${flags[@]}" -module-name "$1" -emit-module -emit-module-path "$out/$1.swiftmodule" \
        -c "${sources[@]}" -o "$out/$1.o"
    echo "$stamp" >"$out/$1.stamp"
}

rooms_of() {
    case $1 in
        Request | Response) echo Bytes HTTP ;;
        JSON | Schema) echo Bytes JSON ;;
        Link) echo Bytes JSON Navigation ;;
        NATS) echo Bytes JSON NATS ;;
        Shared) echo Bytes JSON NATS Navigation Sessions POSIX Cluster ;;
        Journal) echo Bytes JSON Navigation Sessions POSIX Storage ;;
    esac
}

failed=0
for target in "${targets[@]}"; do
    objects=()
    for name in $(rooms_of "$target"); do
        room "$name"
        objects+=("$out/$name.o")
    done
    swiftc "${flags[@]}" -module-name "${target}Fuzz" "Tests/Fuzz/${target}Fuzz.swift" \
        "${objects[@]}" -o "$out/$target"
    mkdir -p "$out/found/$target" "$out/crashes"
    echo "== $target for $seconds s"
    if ! ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no "$out/$target" \
        "$out/found/$target" "Tests/Fuzz/corpus/$target" -max_total_time="$seconds" \
        -max_len=4096 -timeout=5 -rss_limit_mb=1024 -artifact_prefix="$out/crashes/$target-" \
        -print_final_stats=1 -verbosity=0 >"$out/$target.log" 2>&1; then
        failed=1
        tail -40 "$out/$target.log"
    fi
    grep -E "stat::(number_of_executed_units|average_exec|peak_rss|new_units)" "$out/$target.log" || true
done
exit $failed
