#!/usr/bin/env bash
# The contract, by tools that know nothing of us: run.sh SERVER-EXECUTABLE VENV
# Schemathesis with every check, a validator, Prometheus' own parser.
set -euo pipefail
server=$(realpath "$1")
venv=$(realpath "$2")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
pid=
finish() {
    if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT

"$venv/bin/openapi-spec-validator" openapi.yaml
"$venv/bin/python" Tests/contract/spec.py openapi.yaml "$work/spec.yaml"

# The server, which makes it otherwise, may start later than the first look at it.
: >"$work/log"
"$server" --listen 127.0.0.1:0 --data "$work/data" --apps Examples/apps 2>"$work/log" &
pid=$!
for _ in $(seq 100); do
    url=$(sed -n 's|.*"address":"\(http://127.0.0.1:[0-9]*\)".*|\1|p' "$work/log")
    if [ -n "$url" ]; then break; fi
    sleep 0.1
done

"$venv/bin/python" Tests/contract/metrics_test.py "$url"

"$venv/bin/schemathesis" --config-file Tests/contract/schemathesis.toml run "$work/spec.yaml" \
    --url "$url" --checks all --max-examples "${EXAMPLES:-25}" --seed "${SEED:-1}" --no-color ||
    { cat "$work/log"; exit 1; }
