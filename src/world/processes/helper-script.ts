/**
 * What the helper runs: a bash of about 4 MB that forks in a fraction of a millisecond, however large the
 * host process is. It is called with its private folder and the tag of all its commands.
 *
 * Requests come on stdin as a line with a length and then that many bytes of script. Reports leave by
 * descriptor 7, a line each: `h FD` a descriptor of bash's own, `f FIRST LAST` fifos are there, `s N` a process
 * waits for a request on fifo N, `p ID PID` started, `d ID` the folder cannot be entered, `o ID` the fifos
 * cannot be opened, `x ID CODE` ended.
 *
 * A command starts faster by a process that waits for it already: half of the forking is done then.
 *
 * When stdin ends, the host is gone or done: whatever still runs is ended, then the helper itself.
 */
export const helperScript = String.raw`
exec 7>&1 1>/dev/null
dir=$1 tag=$2

fifos() {
  local first=$1 last=$2 names=() n
  for ((n = first; n <= last; n++)); do names+=("$dir/$n"); done
  mkfifo -m 600 "\${names[@]}" && echo "f $first $last" >&7
}

begin() {
  trap stop TERM
  { [ -p "$2" ] && [ -p "$3" ] && exec 8>"$2" 9>"$3"; } 2>/dev/null || { echo "o $1" >&7; return 1; }
  cd -- "$4" 2>/dev/null || { echo "d $1" >&7; return 1; }
  set -m
}

finish() {
  pid=$2
  echo "p $1 $pid" >&7
  exec 3<&- 4<&- 5<&- 6<&- 8>&- 9>&-
  wait "$pid"
  echo "x $1 $?" >&7
}

stop() {
  [ -n "$pid" ] || exit
  kill -TERM -- "-$pid" && sleep 0.5
  kill -KILL -- "-$pid"
  exit
}

standby() {
  pid=
  trap stop TERM
  set -m
  exec 0<"$dir/$1" && echo "s $1" >&7
  IFS= read -r length && take "$length" && exec </dev/null && eval "$request"
  exit
}

take() {
  if ((BASH_VERSINFO[0] > 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] > 0))); then
    IFS= read -r -N "$1" request
  else
    IFS= read -r -d '' -n "$1" request
  fi
}

# With job control bash holds descriptors of its own that commands must not inherit.
( set -m; for fd in /proc/$BASHPID/fd/*; do fd=\${fd##*/}; [ "$fd" -gt 9 ] && echo "h $fd" >&7; done )
fifos 0 31
while IFS= read -r length && take "$length"; do
  eval "$request"
done

running=$(jobs -pr)
[ -n "$running" ] && kill -TERM $running
wait
for round in 1 2 3 4 5; do
  left=
  for file in $(grep -lsaF -- "TENON_RUN=$tag" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    left="$left \${file%/environ}"
  done
  [ -z "$left" ] && break
  kill -KILL $left
  sleep 0.05
done
rm -rf -- "$dir"
`.replaceAll("\\${", "${");
