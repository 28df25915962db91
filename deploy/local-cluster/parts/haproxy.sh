# HAProxy in front of the API processes, and in front of the two PostgreSQL servers.
# shellcheck shell=bash disable=SC2154

start_haproxy() {
  write_haproxy_conf >"$folder/conf/haproxy.cfg"
  run_haproxy
  until_true $start_limit HAProxy accepts "${port[haproxy]}"
}

run_haproxy() { supervise haproxy "${as_account[@]}" /usr/sbin/haproxy -db -f "$folder/conf/haproxy.cfg"; }

# When a process ends, it closes its idle connections. If HAProxy sends a request on one of them at that time, the
# request is lost. So HAProxy first stops using the process.
take_requests_from() {
  set_server "$1" drain
  until_true $start_limit "the last request of $1" has_state "$1" DRAIN 0
}

give_requests_to() {
  set_server "$1" ready
  until_true $start_limit HAProxy has_state "$1" UP
}

set_server() { curl -fs -o /dev/null -d "b=api&s=$1&action=$2" "http://127.0.0.1:$haproxy_stats_port/"; }

# has_state PROCESS STATE [REQUESTS]: succeeds if HAProxy reports this state and, if given, this number of open
# requests.
has_state() {
  local backend name requests state
  while IFS=, read -r backend name _ _ requests _ _ _ _ _ _ _ _ _ _ _ _ state _; do
    if [ "$backend/$name" = "api/$1" ]; then [[ $state == "$2"* && $requests == "${3:-$requests}" ]] && return; fi
  done < <(curl -fs "http://127.0.0.1:$haproxy_stats_port/;csv")
  return 1
}

# API processes are checked with /healthz instead of /readyz, which fails in every process at once when the database or
# the storage is down. Callers should then get Feira's own response with its code and Retry-After.
write_haproxy_conf() {
  cat <<CFG
defaults
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 5s

frontend web
  mode http
  bind 127.0.0.1:${port[haproxy]}
  option forwardfor
  default_backend api

backend api
  mode http
  balance leastconn
  option httpchk GET /healthz
  option redispatch 1
  retries 3
  default-server check inter 500ms fall 2 rise 1
  # While no process is available, HAProxy responds itself, in the format of Feira's errors. Callers may retry.
  http-error status 503 content-type application/json string '{"error":"No server is available. Try again in a second.","code":"busy"}' hdr Retry-After 1 hdr X-Should-Retry true
  # If a process ends during a call, the call may have been executed, so HAProxy does not repeat it.
  http-error status 502 content-type application/json string '{"error":"The server ended before it responded, so the call may have been executed. Repeat it with the same Idempotency-Key.","code":"connection_lost"}' hdr X-Should-Retry true
  server api1 127.0.0.1:${port[api1]}
  server api2 127.0.0.1:${port[api2]}

frontend stats
  mode http
  bind 127.0.0.1:$haproxy_stats_port
  stats enable
  stats uri /
  stats admin if TRUE

# Patroni responds with 200 to /primary only on the primary. Connections to a former primary are closed immediately.
listen primary
  mode tcp
  bind 127.0.0.1:$primary_port
  timeout client 30m
  timeout server 30m
  option httpchk GET /primary
  http-check expect status 200
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
  server pg1 127.0.0.1:${port[pg1]} port ${patroni_port[pg1]}
  server pg2 127.0.0.1:${port[pg2]} port ${patroni_port[pg2]}
CFG
}
