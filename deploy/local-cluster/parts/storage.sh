# Ceph as the S3 server: a monitor, an object store in memory, and the gateway.
# shellcheck shell=bash disable=SC2154

s3_access_key=FEIRALOCALCLUSTER
s3_secret_key=only-for-the-local-cluster
s3_bucket=feira

start_ceph() {
  local ceph=("${as_account[@]}" timeout 60 ceph -c "$folder/conf/ceph.conf") osd
  write_ceph_conf >"$folder/conf/ceph.conf"
  "${as_account[@]}" mkdir -p "$folder/data/ceph/mon" "$folder/data/ceph/osd" "$folder/data/ceph/rgw"
  "${as_account[@]}" monmaptool --create --fsid "$ceph_id" --addv a "[v1:127.0.0.1:${port[ceph-mon]}]" \
    "$folder/data/ceph/monmap" >/dev/null
  "${as_account[@]}" ceph-mon -c "$folder/conf/ceph.conf" --mkfs -i a --monmap "$folder/data/ceph/monmap"
  run_ceph-mon
  # A command that is sent before the monitor has a quorum can fail with EPERM.
  until_true $start_limit ceph-mon "${ceph[@]}" mon stat
  osd=$(cat /proc/sys/kernel/random/uuid)
  "${ceph[@]}" osd new "$osd" >/dev/null
  "${ceph[@]}" osd crush add osd.0 1 root=default 2>/dev/null
  "${as_account[@]}" ceph-osd -c "$folder/conf/ceph.conf" -i 0 --mkfs --osd-uuid "$osd" 2>/dev/null
  run_ceph-osd
  "${as_account[@]}" timeout 60 radosgw-admin -c "$folder/conf/ceph.conf" user create --uid=feira \
    --display-name=Feira --access-key="$s3_access_key" --secret="$s3_secret_key" >/dev/null 2>&1
  run_radosgw
  until_true $start_limit radosgw curl -fs "http://127.0.0.1:${port[radosgw]}"
  create_bucket
}

run_ceph-mon() { run_ceph ceph-mon -i a; }
run_ceph-osd() { run_ceph ceph-osd -i 0; }
run_radosgw() { run_ceph radosgw -n client.rgw; }
run_ceph() { supervise "$1" "${as_account[@]}" "$1" -c "$folder/conf/ceph.conf" -f "${@:2}"; }

create_bucket() {
  local code
  code=$(curl -s -o /dev/null -w '%{http_code}' -X PUT --aws-sigv4 aws:amz:us-east-1:s3 \
    --user "$s3_access_key:$s3_secret_key" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' \
    -H 'content-type: application/octet-stream' "http://127.0.0.1:${port[radosgw]}/$s3_bucket")
  [ "$code" = 200 ] || fail "The storage answered $code when asked to create the bucket"
}

ceph_id=5d1c1a56-6f0f-4ac0-9a35-fe12a0c1a5e1

write_ceph_conf() {
  local data=$folder/data/ceph
  cat <<CONF
[global]
fsid = $ceph_id
mon host = v1:127.0.0.1:${port[ceph-mon]}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind port min = ${port[ceph-osd]}
ms bind port max = $((base + 39))
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
osd crush chooseleaf type = 0
osd objectstore = memstore
paxos propose interval = 0.05
paxos min wait = 0.02
run dir = $data
log file = $data/\$name.log
admin socket = $data/\$name.asok
pid file = $data/\$name.pid
mon data = $data/mon
osd data = $data/osd
osd journal = $data/osd/journal
rgw data = $data/rgw
rgw frontends = beast endpoint=127.0.0.1:${port[radosgw]}
CONF
}
