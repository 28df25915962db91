# Loads every part and defines the order in which they start.
# shellcheck shell=bash disable=SC2154

for file in settings processes postgres pgbouncer haproxy storage redis feira faults backup restore status; do
  # shellcheck source=/dev/null
  . "$here/parts/$file.sh"
done

start_all() {
  start_etcd
  start_redis
  start_ceph &
  local ceph=$!
  # HAProxy treats a server as available until its first check, so HAProxy is started before its servers.
  start_haproxy
  start_postgres
  start_pgbouncer
  wait "$ceph"
  start_feira
}
