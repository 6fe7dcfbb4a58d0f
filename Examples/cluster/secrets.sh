#!/bin/sh
# Makes the passwords of compose.yaml and kubernetes.yaml, in a new directory that others cannot
# open. The files themselves can be read by the users in the containers.
#
#     secrets.sh [DIRECTORY [HOST HOST HOST]]
set -eu
directory=${1:-secrets}
[ $# -gt 1 ] && shift || set -- nats-1 nats-2 nats-3
mkdir -m 700 "$directory"
navstate=$(openssl rand -hex 24)
routes=$(openssl rand -hex 24)
cat >"$directory/passwords.conf" <<END
NAVSTATE_PASSWORD: "$navstate"
ROUTES_PASSWORD: "$routes"
ROUTES: [
$(for host; do echo "  \"nats://routes:$routes@$host:6222\""; done)
]
END
servers=$(for host; do printf ',%s:4222' "$host"; done)
# Without a line feed, since they may become values of variables.
printf 'nats://navstate:%s@%s/NAV' "$navstate" "${servers#,}" >"$directory/store"
printf '%s' "$(openssl rand -hex 32)" >"$directory/token"
chmod 644 "$directory"/*
