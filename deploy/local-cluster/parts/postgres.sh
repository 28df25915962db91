# etcd, and two PostgreSQL servers under Patroni, one of which is a synchronous standby.
# shellcheck shell=bash disable=SC2154

start_etcd() {
  run_etcd
  until_true $start_limit etcd curl -fs "http://127.0.0.1:${port[etcd]}/health"
}

run_etcd() {
  local client=http://127.0.0.1:${port[etcd]} peer=http://127.0.0.1:$etcd_peer_port
  supervise etcd "${as_account[@]}" etcd --name etcd --data-dir "$folder/data/etcd" --log-level error \
    --listen-client-urls "$client" --advertise-client-urls "$client" \
    --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "etcd=$peer"
}

start_postgres() {
  write_pgbackrest_conf
  for name in pg1 pg2; do make_disk "$name"; done
  for name in pg1 pg2; do write_patroni_conf "$name" >"$folder/conf/$name.yml"; done
  run_pg pg1
  until_true $start_limit "PostgreSQL (pg1)" is_primary pg1
  create_stanza
  run_pg pg2
  until_true $start_limit "the standby (pg2)" has_synchronous_standby
  create_database
}

run_pg() {
  supervise "$1" "${as_account[@]}" env PGBACKREST_CONFIG="$folder/conf/pgbackrest.conf" \
    patroni "$folder/conf/$1.yml"
}

is_primary() { curl -fs "http://127.0.0.1:${patroni_port[$1]}/primary"; }

has_synchronous_standby() {
  curl -fs "http://127.0.0.1:${patroni_port[pg1]}/sync" || curl -fs "http://127.0.0.1:${patroni_port[pg2]}/sync"
}

primary() {
  local name
  for name in pg1 pg2; do
    if is_primary $name >/dev/null; then
      echo $name
      return
    fi
  done
}

data_of() { echo "$folder/data/$1/data"; }

postmaster_of() {
  head -1 "$(data_of "$1")/postmaster.pid" 2>/dev/null || echo 0
}

switchover() {
  local from
  from=$(primary)
  [ -n "$from" ] || fail "There is no primary"
  "${as_account[@]}" patronictl -c "$folder/conf/pg1.yml" switchover feira --master "$from" --force
}

# Creates the role and the database that Feira uses. A restored server already has them.
create_database() {
  local sql=(psql -qAtXv ON_ERROR_STOP=1 -h 127.0.0.1 -p "$primary_port" -U postgres -d postgres)
  until_true $start_limit "the primary behind HAProxy" "${sql[@]}" -c 'select 1'
  [ -z "$("${sql[@]}" -c "select 1 from pg_database where datname = 'feira'")" ] || return 0
  "${sql[@]}" -c 'create role feira login'
  "${sql[@]}" -c 'create database feira owner feira'
}

# A failure of the primary is detected after `ttl` seconds, and the standby is promoted within two more. `ttl` must be
# at least loop_wait + 2 * retry_timeout. A standby is promoted only if it has every acknowledged commit.
write_patroni_conf() {
  local name=$1 data
  data=$(data_of "$1")
  cat <<YAML
scope: feira
name: $name
restapi:
  listen: 127.0.0.1:${patroni_port[$name]}
  connect_address: 127.0.0.1:${patroni_port[$name]}
etcd3:
  host: 127.0.0.1:${port[etcd]}
bootstrap:
  dcs:
    ttl: 10
    loop_wait: 2
    retry_timeout: 4
    maximum_lag_on_failover: 1048576
    primary_start_timeout: 10
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        max_connections: 250
        shared_buffers: 128MB
        synchronous_commit: 'on'
        wal_log_hints: 'on'
        wal_keep_size: 256MB
        archive_mode: 'on'
        archive_timeout: 30s
        # Lets PostgreSQL detect during a long statement that the client is gone.
        client_connection_check_interval: 2s
  initdb:
    - encoding: UTF8
    - locale: C.UTF-8
    - data-checksums
postgresql:
  listen: 127.0.0.1:${port[$name]}
  connect_address: 127.0.0.1:${port[$name]}
  data_dir: $data
  bin_dir: $pg_bin
  pgpass: $folder/data/$name.pgpass
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  authentication:
    superuser: { username: postgres }
    replication: { username: replicator }
  # These lines trust every account of this machine. Never use them on a network.
  pg_hba:
    - local all all trust
    - host all all 127.0.0.1/32 trust
    - host replication replicator 127.0.0.1/32 trust
  parameters:
    unix_socket_directories: $folder/data
    archive_command: $(archive_command "$data")
  create_replica_methods: [basebackup]
  basebackup:
    checkpoint: fast
YAML
}
