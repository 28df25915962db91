# Destroys the data of the cluster, and restores PostgreSQL from a backup.
# shellcheck shell=bash disable=SC2154

# Ends all processes and deletes all data. Only Feira's secret and the backup are kept. In production, the backup would
# be on another machine.
destroy() {
  local name
  for name in "${!port[@]}"; do take_down "$name"; done
  remove_disks
  rm -rf "${folder:?}/data"
  mkdir -m 700 "$folder/data"
  if [ "$(id -u)" = 0 ]; then chown "$account" "$folder/data"; fi
}

# Restores the backup into pg1 and replays everything that was archived since. PostgreSQL runs without Patroni for this,
# and is stopped afterwards.
restore_postgres() {
  local data options
  data=$(data_of pg1)
  write_pgbackrest_conf
  make_disk pg1
  "${as_account[@]}" mkdir -m 700 "$data"
  pgbackrest_ restore --pg1-path="$data"
  # The restored files contain the settings of the server that was backed up, which may have been pg2.
  options="-p ${port[pg1]} -c synchronous_standby_names='' -c archive_command='$(archive_command "$data")'"
  "${as_account[@]}" env PGBACKREST_CONFIG="$folder/conf/pgbackrest.conf" \
    "$pg_bin/pg_ctl" -D "$data" -w -t 3600 -s -l "$folder/data/recovery.log" -o "$options" start
  until_true 3600 "the recovery" is_recovered
  "${as_account[@]}" "$pg_bin/pg_ctl" -D "$data" -w -s -m fast stop
}

is_recovered() {
  [ "$(psql -qAtX -h 127.0.0.1 -p "${port[pg1]}" -U postgres -c 'select pg_is_in_recovery()' postgres)" = f ]
}
