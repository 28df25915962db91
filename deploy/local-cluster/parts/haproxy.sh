# HAProxy in front of the API processes, and in front of the two PostgreSQL servers.
# shellcheck shell=bash disable=SC2154

start_haproxy() {
  write_haproxy_conf >"$folder/conf/haproxy.cfg"
  run_haproxy
  until_true 15 HAProxy accepts "${port[haproxy]}"
}

run_haproxy() { supervise haproxy "${as_account[@]}" /usr/sbin/haproxy -db -f "$folder/conf/haproxy.cfg"; }

# The check of an API process is /healthz and not /readyz: /readyz fails in every process at once when the database or
# the storage is down, and callers should then get Feira's own answer, with its code and Retry-After.
write_haproxy_conf() {
  cat <<CFG
defaults
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 2s

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
  server api1 127.0.0.1:${port[api1]}
  server api2 127.0.0.1:${port[api2]}

# Patroni answers 200 to /primary only on the primary. Connections to a former primary are closed at once.
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
