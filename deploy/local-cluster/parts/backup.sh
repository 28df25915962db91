# Backups with pgBackRest into $folder/backup. The primary continuously archives its write-ahead log there.
# shellcheck shell=bash disable=SC2154

create_stanza() { on_primary pgbackrest_ stanza-create; }

backup() { on_primary pgbackrest_ backup --type=full; }

# on_primary COMMAND…: runs a pgBackRest command with the data folder and the port of the primary.
on_primary() {
  local name
  name=$(primary)
  [ -n "$name" ] || fail "There is no primary"
  "$@" --pg1-path="$(data_of "$name")" --pg1-port="${port[$name]}"
}

# Prints the command that PostgreSQL runs for each finished file of its write-ahead log.
archive_command() { echo "pgbackrest --stanza=feira --pg1-path=$1 archive-push %p"; }

pgbackrest_() {
  "${as_account[@]}" env PGBACKREST_CONFIG="$folder/conf/pgbackrest.conf" pgbackrest --stanza=feira "$@"
}

write_pgbackrest_conf() {
  "${as_account[@]}" mkdir -p "$folder/data/pgbackrest"
  cat >"$folder/conf/pgbackrest.conf" <<CONF
[global]
repo1-path=$folder/backup
repo1-retention-full=2
log-path=$folder/data/pgbackrest
lock-path=$folder/data/pgbackrest
log-level-console=warn
compress-type=zst
start-fast=y

[feira]
pg1-user=postgres
pg1-socket-path=$folder/data
CONF
}
