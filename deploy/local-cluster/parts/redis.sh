# Redis for the shared rate limits. It stores nothing on disk, because Feira refills an empty Redis.
# shellcheck shell=bash disable=SC2154

start_redis() {
  run_redis
  until_true $start_limit Redis ping_redis
}

run_redis() {
  supervise redis "${as_account[@]}" redis-server --bind 127.0.0.1 --port "${port[redis]}" --save '' \
    --dir "$folder/data" --loglevel warning
}

ping_redis() { [ "$(redis-cli -p "${port[redis]}" ping 2>/dev/null)" = PONG ]; }
