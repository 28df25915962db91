# Folders, ports and accounts. The other parts read these variables.
# shellcheck shell=bash disable=SC2034,SC2154

folder=$(realpath -m "${FEIRA_CLUSTER:-/tmp/feira-cluster-$(id -u)}")
base=${FEIRA_CLUSTER_PORT:-7400}
repository=$(cd "$here/../.." && pwd)
# The folder of the Feira version to start. To try an upgrade, set FEIRA_CLUSTER_RELEASE to the folder of another one.
release=$(realpath -m "${FEIRA_CLUSTER_RELEASE:-$repository}")
# The programs are started in a folder that their account may enter. The repository may be in /root, which only root may
# enter.
called_from=$PWD
cd /
pg_bin=/usr/lib/postgresql/15/bin
# In seconds. The limit is only for a part that hangs. It is high, because a start takes minutes on a busy machine.
start_limit=600

public_url=http://127.0.0.1:$base
declare -A port=(
  [haproxy]=$base [api1]=$((base + 1)) [api2]=$((base + 2)) [worker1]=$((base + 3)) [worker2]=$((base + 4))
  [pgbouncer]=$((base + 5)) [redis]=$((base + 7)) [radosgw]=$((base + 8)) [ceph-mon]=$((base + 9))
  [etcd]=$((base + 10)) [pg1]=$((base + 12)) [pg2]=$((base + 13)) [ceph-osd]=$((base + 20))
)
# HAProxy forwards this port to the PostgreSQL server that is currently the primary.
primary_port=$((base + 6))
etcd_peer_port=$((base + 11))
# Patroni's REST interface.
declare -A patroni_port=([pg1]=$((base + 14)) [pg2]=$((base + 15)))
haproxy_stats_port=$((base + 16))

# PostgreSQL and PgBouncer refuse to run as root.
if [ "$(id -u)" = 0 ]; then
  account=postgres
  as_account=(setpriv --reuid=postgres --regid=postgres --init-groups --inh-caps=-all)
else
  account=$(id -un)
  as_account=()
fi

fail() {
  echo "$*" >&2
  exit 1
}

require_packages() {
  local missing=() package program
  while read -r package program; do
    [ -x "$program" ] || command -v "$program" >/dev/null || missing+=("$package")
  done <<LIST
postgresql-15 $pg_bin/postgres
patroni patroni
etcd-server etcd
pgbouncer /usr/sbin/pgbouncer
pgbackrest pgbackrest
haproxy /usr/sbin/haproxy
redis-server redis-server
radosgw radosgw
ceph-mon ceph-mon
ceph-osd ceph-osd
ceph-common ceph
curl curl
LIST
  [ ${#missing[@]} = 0 ] || fail "Missing packages. Install them with:
  apt-get update && apt-get install --no-install-recommends ${missing[*]}
Then run this command again. Debian starts some of them as services. The local cluster does not need these services,
and they may keep running. To stop them:
  systemctl disable --now postgresql patroni etcd pgbouncer haproxy redis-server"
}

require_build() {
  [ -d "$release/server/dist" ] || fail "Feira is not built. Run: npm ci && npm run build"
}

require_free_ports() {
  local number
  for ((number = base; number < base + 40; number++)); do
    ! accepts "$number" 2>/dev/null || fail "Port $number is in use. Set FEIRA_CLUSTER_PORT to the first of 40 free ports."
  done
}

accepts() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); }

make_folder() {
  mkdir -m 711 "$folder"
  mkdir -m 755 "$folder/run" "$folder/log" "$folder/conf"
  mkdir -m 700 "$folder/data" "$folder/backup" "$folder/feira"
  if [ "$(id -u)" = 0 ]; then chown "$account" "$folder/data" "$folder/backup" "$folder/conf"; fi
}
