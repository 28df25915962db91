# Starts, monitors and ends processes. `run/NAME.supervisor` and `run/NAME.pid` contain the process ids.
# shellcheck shell=bash disable=SC2154

# supervise NAME COMMAND…: runs a command in the background and starts it again when it ends.
supervise() {
  local name=$1
  shift
  # The supervisor has its own session, so that a closed terminal does not end the cluster.
  setsid "$here/parts/supervise" "$folder/run/$name" "$@" </dev/null >>"$folder/log/$name.log" 2>&1 &
  echo $! >"$folder/run/$name.supervisor"
  disown
}

pid_of() {
  cat "$folder/run/$1.pid" 2>/dev/null || echo 0
}

is_running() {
  local pid
  pid=$(pid_of "$1")
  [ "$pid" != 0 ] && kill -0 "$pid" 2>/dev/null
}

# until_true SECONDS WHAT COMMAND…: waits until the command succeeds. After SECONDS, fails with a message that names
# WHAT.
until_true() {
  local limit=$((SECONDS + $1)) what=$2 hint=$((SECONDS + 20))
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $limit ] || fail "Gave up waiting for $what. The logs are in $folder/log."
    if [ $SECONDS -ge $hint ]; then
      echo "Still waiting for $what. The logs are in $folder/log." >&2
      hint=$limit
    fi
    sleep 0.1
  done
}

# Ends several parts at the same time: sends SIGTERM first, and kills what is left after 20 seconds.
stop_parts() {
  local name file pids=() deadline=$((SECONDS + 20))
  for name in "$@"; do
    for file in supervisor pid; do
      if [ -f "$folder/run/$name.$file" ]; then pids+=("$(cat "$folder/run/$name.$file")"); fi
    done
    case $name in pg?) pids+=("$(postmaster_of "$name")") ;; esac
  done
  for name in "$@"; do kill_quietly TERM "$folder/run/$name.supervisor"; done
  while any_alive "${pids[@]}" && [ $SECONDS -lt $deadline ]; do sleep 0.1; done
  for pid in "${pids[@]}"; do [ "$pid" = 0 ] || kill -9 "$pid" 2>/dev/null || true; done
}

any_alive() {
  local pid
  for pid in "$@"; do
    if [ "$pid" != 0 ] && kill -0 "$pid" 2>/dev/null; then return 0; fi
  done
  return 1
}

kill_quietly() {
  if [ -f "$2" ]; then kill "-$1" "$(cat "$2")" 2>/dev/null || true; fi
}

# Kills a part with SIGKILL. For pg1 and pg2, only PostgreSQL is killed; Patroni keeps running and reacts. If the
# process has just ended, for example because it found no database, the one that is started next is killed.
kill_part() {
  is_known "$1"
  until_true "$start_limit" "$1" kill_program "$1"
}

kill_program() {
  local pid
  case $1 in
    pg?) pid=$(postmaster_of "$1") ;;
    *) pid=$(pid_of "$1") ;;
  esac
  [ "$pid" != 0 ] && kill -9 "$pid"
}

# Simulates the loss of a machine: the part is killed and not restarted.
take_down() {
  is_known "$1"
  kill_quietly KILL "$folder/run/$1.supervisor"
  kill_quietly KILL "$folder/run/$1.pid"
  case $1 in pg?) kill -9 "$(postmaster_of "$1")" 2>/dev/null || true ;; esac
  rm -f "$folder/run/$1.supervisor" "$folder/run/$1.pid"
}

bring_up() {
  is_known "$1"
  [ ! -f "$folder/run/$1.supervisor" ] || fail "$1 is not down"
  "run_${1//[0-9]/}" "$1"
}

is_known() {
  [ -n "${port[$1]:-}" ] || fail "Unknown part $1. The parts are: ${!port[*]}"
}
