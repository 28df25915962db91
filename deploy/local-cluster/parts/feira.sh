# Two API and two worker processes.
# shellcheck shell=bash disable=SC2154

start_feira() {
  # A restored database needs the secret that it was used with.
  [ -s "$folder/feira/secret" ] || head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$folder/feira/secret"
  for name in api1 api2; do run_api "$name"; done
  for name in api1 api2; do until_true 90 "$name" is_ready "$name"; done
  for name in worker1 worker2; do run_worker "$name"; done
  for name in worker1 worker2; do until_true 90 "$name" is_ready "$name"; done
  until_true 15 "HAProxy" curl -fs "$public_url/readyz"
}

run_api() { run_process "$1" api; }
run_worker() { run_process "$1" worker; }

run_process() {
  supervise "$1" env "${feira_environment[@]}" FEIRA_SECRET="$(cat "$folder/feira/secret")" PORT="${port[$1]}" \
    node "$repository/server/bin/feira.js" serve --role "$2"
}

run_feira() {
  env "${feira_environment[@]}" FEIRA_SECRET="$(cat "$folder/feira/secret")" \
    node "$repository/server/bin/feira.js" "$@"
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
