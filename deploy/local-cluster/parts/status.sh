# Prints the table of `cluster status`.
# shellcheck shell=bash disable=SC2154

status() {
  local name
  [ -d "$folder" ] || fail "The cluster is not running. Start it with: $0 start"
  printf '%-10s %-6s %-8s %s\n' PART PORT PID STATE
  for name in haproxy api1 api2 worker1 worker2 pgbouncer pg1 pg2 etcd redis radosgw ceph-osd ceph-mon; do
    printf '%-10s %-6s %-8s %s\n' "$name" "${port[$name]}" "$(pid_of "$name")" "$(state_of "$name")"
  done
}

state_of() {
  if [ ! -f "$folder/run/$1.supervisor" ]; then
    echo down
  elif ! is_running "$1"; then
    echo starting
  else
    case $1 in
      haproxy) answers curl -fs "$public_url/healthz" ;;
      api? | worker?) answers is_ready "$1" ;;
      pg?) patroni_state "$1" ;;
      pgbouncer) answers psql -h 127.0.0.1 -p "${port[pgbouncer]}" -U feira -c 'select 1' feira ;;
      etcd) answers curl -fs "http://127.0.0.1:${port[etcd]}/health" ;;
      redis) answers ping_redis ;;
      radosgw) answers curl -fs "http://127.0.0.1:${port[radosgw]}" ;;
      *) echo running ;;
    esac
  fi
}

answers() {
  if "$@" >/dev/null 2>&1; then echo ready; else echo 'does not answer'; fi
}

# Prints the role of the server, its state as Patroni reports it (running, starting, streaming), and its timeline.
patroni_state() {
  local answer role
  answer=$(curl -s "http://127.0.0.1:${patroni_port[$1]}/patroni")
  role=$(field role)
  [ "$role" != master ] || role=primary
  [ "$(field sync_standby)" != true ] || role='synchronous standby'
  echo "$role, $(field state), timeline $(field timeline)"
}

field() { grep -oE "\"$1\": \"?[a-z0-9 ]+" <<<"$answer" | head -1 | sed 's/.*: "\?//'; }
