# Two API and two worker processes.
# shellcheck shell=bash disable=SC2154

start_feira() {
  # An existing secret is kept, because a restored database needs the secret that was used with it before.
  [ -s "$folder/feira/secret" ] || head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$folder/feira/secret"
  for name in api1 api2; do run_api "$name"; done
  for name in api1 api2; do until_true $start_limit "$name" is_ready "$name"; done
  for name in worker1 worker2; do run_worker "$name"; done
  for name in worker1 worker2; do until_true $start_limit "$name" is_ready "$name"; done
  until_true $start_limit "HAProxy" curl -fs "$public_url/readyz"
}

run_api() { run_process "$1" api; }
run_worker() { run_process "$1" worker; }

run_process() {
  local clock
  mapfile -t clock < <(clock_environment "$1")
  supervise "$1" env "${clock[@]}" "${feira_environment[@]}" FEIRA_SECRET="$(cat "$folder/feira/secret")" PORT="${port[$1]}" \
    node --max-semi-space-size=4 --v8-pool-size=1 "$release/server/bin/feira.js" serve --role "$2"
}

run_feira() {
  env "${feira_environment[@]}" FEIRA_SECRET="$(cat "$folder/feira/secret")" \
    node "$release/server/bin/feira.js" "$@"
}

# Replaces a process as an upgrade does: HAProxy stops sending requests to an API process, the process is ended with
# SIGTERM, and FEIRA_CLUSTER_RELEASE is started in its place. Returns when the new process is ready, so that the next
# one can be replaced.
replace() {
  [[ $1 =~ ^(api|worker)[12]$ ]] || fail "Only api1, api2, worker1 and worker2 can be replaced"
  require_build
  case $1 in api?) take_requests_from "$1" ;; esac
  stop_parts "$1"
  rm -f "$folder/run/$1.supervisor" "$folder/run/$1.pid"
  bring_up "$1"
  until_true $start_limit "$1" is_ready "$1"
  case $1 in api?) give_requests_to "$1" ;; esac
}

is_ready() { curl -fs "http://127.0.0.1:${port[$1]}/readyz"; }

feira_environment=(
  PUBLIC_URL="$public_url"
  TRUSTED_PROXIES=127.0.0.1
  FEIRA_DATA="$folder/feira"
  DATABASE_URL="postgresql://feira@127.0.0.1:${port[pgbouncer]}/feira"
  REDIS_URL="redis://127.0.0.1:${port[redis]}"
  S3_ENDPOINT="http://127.0.0.1:${port[radosgw]}"
  S3_BUCKET="$s3_bucket"
  S3_ACCESS_KEY_ID="$s3_access_key"
  S3_SECRET_ACCESS_KEY="$s3_secret_key"
)
