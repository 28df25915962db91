# PgBouncer between Feira and the primary.
# shellcheck shell=bash disable=SC2154

start_pgbouncer() {
  write_pgbouncer_conf >"$folder/conf/pgbouncer.ini"
  echo '"feira" ""' >"$folder/conf/pgbouncer.users"
  run_pgbouncer
  until_true $start_limit PgBouncer accepts "${port[pgbouncer]}"
}

run_pgbouncer() { supervise pgbouncer "${as_account[@]}" /usr/sbin/pgbouncer "$folder/conf/pgbouncer.ini"; }

write_pgbouncer_conf() {
  cat <<INI
[databases]
feira = host=127.0.0.1 port=$primary_port

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port[pgbouncer]}
unix_socket_dir =
auth_type = trust
auth_file = $folder/conf/pgbouncer.users
admin_users = feira
pool_mode = session
max_client_conn = 500
default_pool_size = 150
server_connect_timeout = 2
server_login_retry = 1
query_wait_timeout = 5
tcp_keepalive = 1
tcp_keepidle = 5
tcp_keepintvl = 2
tcp_keepcnt = 3
log_connections = 0
log_disconnections = 0
INI
}
