# Simulates clocks that jump, networks that lose packets, and disks that are full. For killed processes see
# processes.sh.
# shellcheck shell=bash disable=SC2154

# clock PART OFFSET: makes the clock of an API or worker process jump, for example by +1h. `real` restores it.
clock() {
  local file=$folder/conf/$1.clock
  if [ "$2" = real ]; then
    rm -f "$file"
    replace "$1"
    return
  fi
  [ -f "$faketime_library" ] || fail "Install the package faketime"
  if [ ! -f "$file" ]; then
    echo +0 >"$file"
    replace "$1"
  fi
  echo "$2" >"$file"
}

faketime_library=$(echo /usr/lib/*/faketime/libfaketimeMT.so.1)

# Prints the environment variables of a process whose clock can be changed while it runs. Only the time of day jumps, as
# when the clock of a machine is corrected. The monotonic clock is not affected.
clock_environment() {
  [ -f "$folder/conf/$1.clock" ] || return 0
  printf '%s\n' LD_PRELOAD="$faketime_library" FAKETIME_TIMESTAMP_FILE="$folder/conf/$1.clock" \
    FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1
}

# network PART silent|slow|ok: drops all packets from and to the port of a part, or one in five, or none.
network() {
  local number=${port[$1]} lost
  command -v nft >/dev/null || fail "Install the package nftables"
  nft delete table inet "feira_${base}_$number" 2>/dev/null || true
  case $2 in
    silent) lost='' ;;
    slow) lost='numgen random mod 5 < 1' ;;
    ok) return ;;
    *) fail "Unknown state $2" ;;
  esac
  nft -f - <<NFT
table inet feira_${base}_$number {
  chain input {
    type filter hook input priority 0;
    tcp dport $number $lost drop
    tcp sport $number $lost drop
  }
}
NFT
}

repair_networks() {
  local table
  for table in $(nft list tables 2>/dev/null | grep -o "feira_${base}_[0-9]*"); do nft delete table inet "$table"; done
}

# With FEIRA_CLUSTER_DISK_MB, each PostgreSQL server has its own small disk (in memory), which can be filled.
make_disk() {
  "${as_account[@]}" mkdir -p -m 700 "$folder/data/$1"
  [ -n "${FEIRA_CLUSTER_DISK_MB:-}" ] || return 0
  [ "$(id -u)" = 0 ] || fail "FEIRA_CLUSTER_DISK_MB needs root"
  mount -t tmpfs -o "size=${FEIRA_CLUSTER_DISK_MB}m,mode=0700,uid=$account,gid=$account" feira "$folder/data/$1"
}

remove_disks() {
  local name
  for name in pg1 pg2; do if mountpoint -q "$folder/data/$name"; then umount -l "$folder/data/$name"; fi; done
}

# disk PART fill|free: fills the disk of a PostgreSQL server, or frees it.
disk() {
  mountpoint -q "$folder/data/$1" || fail "$1 has no disk of its own: start the cluster with FEIRA_CLUSTER_DISK_MB"
  case $2 in
    fill) cat /dev/zero >"$folder/data/$1/filler" 2>/dev/null || true ;;
    free) rm "$folder/data/$1/filler" ;;
    *) fail "Unknown state $2" ;;
  esac
}
