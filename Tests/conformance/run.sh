#!/usr/bin/env bash
# The contract as this project publishes it, against the server: run.sh SERVER-EXECUTABLE
# The page, its stories and vectors; every story on an open and on a guarded server; random
# programs against the model.
set -euo pipefail
server=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
processes=
finish() {
    for process in $processes; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap finish EXIT

python3 Tests/conformance/contract_test.py
python3 Tests/conformance/tools_test.py

token=$(openssl rand -hex 24)
origin=https://app.example
"$server" --listen 127.0.0.1:0 --data "$work/open" --allowed-origin "$origin" 2>"$work/open-log" &
processes="$processes $!"
NAVSTATE_TOKEN=$token "$server" --listen 127.0.0.1:0 --data "$work/guarded" \
    2>"$work/guarded-log" &
processes="$processes $!"
address() {
    for _ in $(seq 100); do
        if sed -n 's|.*"address":"\(http://127.0.0.1:[0-9]*\)".*|\1|p' "$1" | grep -m 1 .; then
            return
        fi
        sleep 0.1
    done
    cat "$1" >&2
    return 1
}
url=$(address "$work/open-log")
guarded=$(address "$work/guarded-log")

# Each prints what is not ok, and its last line.
stories() { python3 docs/conformance/run.py "$@" >"$work/tap" || { grep -A 20 '^not ok' "$work/tap"; return 1; }; }
stories --url "$url" --origin "$origin"
tail -n 1 "$work/tap"
if grep '# SKIP' "$work/tap" | grep -v 'needs a server that is guarded$'; then
    echo "These stories were skipped, and should not have been." >&2
    exit 1
fi
stories --url "$guarded" --token "$token" docs/conformance/stories/{access,streams,service}.json
tail -n 1 "$work/tap"
if grep '# SKIP' "$work/tap"; then exit 1; fi
python3 Tests/conformance/random_test.py --url "$url" --programs 10
