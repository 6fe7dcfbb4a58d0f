#!/usr/bin/env bash
# Generates clients from the description that a server serves, and calls the server with each:
#
#     run.sh SERVER-EXECUTABLE
#
# Two generators for Python and one for Swift, with the commands of docs/guide.md. Installs what it
# needs with apt-get and pip. Whatever a generator warns about is an error, apart from what is
# listed in `harmless`.
set -euo pipefail
server=$(realpath "$1")
cd "$(dirname "$0")"
here=$PWD
if ! command -v java >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends default-jre-headless >/dev/null
fi
work=$(mktemp -d)
pid=
finish() {
    if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT
python3 -m venv "$work/venv"
export PATH="$work/venv/bin:$PATH"
pip install -q -r requirements.txt

"$server" --listen 127.0.0.1:0 --data "$work/data" 2>"$work/log" &
pid=$!
url=
for _ in $(seq 100); do
    url=$(sed -n 's|.*"address":"\(http://127.0.0.1:[0-9]*\)".*|\1|p' "$work/log")
    if [ -n "$url" ]; then break; fi
    sleep 0.1
done

cd "$work"
curl -fsS -O "$url/openapi.yaml"
python "$here/document_test.py" openapi.yaml

# openapi-generator says this of every document in OpenAPI 3.1, and that it has renamed the type of
# a parameter whose name is a keyword.
harmless='OpenAPI 3.1 support is still in beta|Failed to get the schema name: null'
harmless="$harmless|reserved word\) cannot be used as model name"
generate() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }
    if grep -E 'WARN|ERROR|Unable' "$log" | grep -vE "$harmless"; then
        echo "$1 warns of something that is not known to be harmless" >&2
        exit 1
    fi
}

generate python.log openapi-python-client generate --path openapi.yaml \
    --config "$here/openapi-python-client.yaml"
generate openapi.log openapi-generator-cli generate -i openapi.yaml -g python \
    -o navstate-python --package-name navstate_api \
    --openapi-normalizer 'FILTER=tag:Sessions|Commands|Live|Apps|Access'
generate swift.log openapi-generator-cli generate -i openapi.yaml -g swift6 \
    -o navstate-swift --additional-properties projectName=Navstate \
    --name-mappings container=containerID \
    --openapi-normalizer 'FILTER=tag:Sessions|Commands|Live|Apps|Access'
for streams in navstate-python/navstate_api/api/streams_api.py \
    navstate-swift/Sources/Navstate/APIs/StreamsAPI.swift; do
    if [ -e "$streams" ]; then echo "$streams is not left out" >&2; exit 1; fi
done

pip install -q ./navstate-client ./navstate-python
python "$here/openapi_python_client_test.py" "$url"
python "$here/openapi_generator_test.py" "$url"

cp -r "$here/swift" calls
swift build --package-path calls >build.log 2>&1 || { cat build.log; exit 1; }
calls/.build/debug/Calls "$url"
