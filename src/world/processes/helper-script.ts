/**
 * What the helper runs: a bash of about 4 MB that forks in a fraction of a millisecond, however large the
 * host process is. It is called with its private folder and the tag of all its commands.
 *
 * Requests come on stdin as a line with a length and then that many bytes of script. Reports leave by
 * descriptor 7, a line each: `h FD` a descriptor of bash's own, `f FIRST LAST` fifos are there,
 * `s SERIAL PID` a process waits for a request, started by the process PID, `w ID PID` the process that
 * waits for a command, `p ID PID` started, `d ID` the
 * folder cannot be entered, `o ID` the fifos cannot be opened, `x ID CODE` ended, `y SERIAL CODE` the same of
 * a process that had waited.
 *
 * For each command there are two processes: one that becomes the command, in the control group of its own
 * that limits it, and one that waits for it outside. A command starts faster by a process that waits for a
 * request already: then all forking is done, and the group is joined.
 *
 * When stdin ends, the host is gone or done: whatever still runs is ended, then the helper itself. That part
 * starts no program and forks nothing, for the system may have no room for another process.
 */
export const helperScript = String.raw`
exec 7>&1 1>/dev/null
dir=$1 tag=$2 groups=() leftovers=() idle=

fifos() {
  local first=$1 last=$2 names=() n
  for ((n = first; n <= last; n++)); do names+=("$dir/$n"); done
  mkfifo -m 600 "\${names[@]}" && echo "f $first $last" >&7
}

# A group that has just gone must not stop the command; its other limits hold.
join() {
  local file
  for file; do echo 0 >"$file"; done
}

begin() {
  { [ -p "$2" ] && [ -p "$3" ] && exec 8>"$2" 9>"$3"; } || { echo "o $1" >&7; return 1; }
  cd -- "$4" || { echo "d $1" >&7; return 1; }
}

await() {
  pid=$1
  trap stop TERM
  wait "$pid"
}

stop() {
  kill -TERM -- "-$pid" && sleep 0.5
  kill -KILL -- "-$pid"
  exit
}

standby() {
  local fifo=$1 serial=$2 waiter=$BASHPID
  shift 2
  set -m
  (
    join "$@"
    exec 0<"$dir/$fifo" && echo "s $serial $waiter" >&7
    IFS= read -r length && take "$length" && exec 0</dev/null && eval "$request"
    exit 125
  ) &
  await $!
  echo "y $serial $?" >&7
  exit
}

run() {
  local id=$1 request=$2
  shift 2
  echo "w $id $BASHPID" >&7
  set -m
  ( join "$@"; exec 0</dev/null; eval "$request"; exit 125 ) &
  await $!
  echo "x $id $?" >&7
  exit
}

take() {
  if ((BASH_VERSINFO[0] > 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] > 0))); then
    IFS= read -r -N "$1" request
  else
    IFS= read -r -d '' -n "$1" request
  fi
}

# Everything that was started and is alive: all below this process, all in the groups, all that carry the tag.
# Those of this program that wait for commands are listed apart.
survivors() {
  local file pid text queue=($$) children child
  left=() waiters=() seen=" $$ "
  while ((\${#queue[@]})); do
    pid=\${queue[0]} queue=("\${queue[@]:1}") children=
    read -r -d '' children <"/proc/$pid/task/$pid/children"
    for child in $children; do
      queue+=("$child") text=
      [ "$pid" = $$ ] && IFS= read -r -d $'\001' text <"/proc/$child/cmdline"
      [[ $text == *"$tag"* ]] && survivor "$child" waiter || survivor "$child"
    done
  done
  [ -n "$idle" ] && return
  for file in "\${groups[@]}"; do
    for file in "$file"/command-*/cgroup.procs; do
      text=
      read -r -d '' text <"$file"
      for pid in $text; do survivor "$pid"; done
    done
  done
  for file in /proc/[0-9]*; do
    text=
    IFS= read -r -d $'\001' text <"$file/environ"
    [[ $text == *"TENON_RUN=$tag"* ]] && survivor "\${file#/proc/}"
  done
}

survivor() {
  local stat=
  [[ $seen == *" $1 "* ]] && return
  seen="$seen$1 "
  read -r stat <"/proc/$1/stat"
  case \${stat##*) } in
  '' | [ZX]*) ;;
  *) [ -n "$2" ] && waiters+=("$1") || left+=("$1") ;;
  esac
}

# A pause that starts no program.
pause() {
  local nothing
  read -r -t "$1" -u 6 nothing
}

end_all() {
  local round look count
  survivors
  [ -z "$idle" ] && ((\${#left[@]})) && kill -TERM "\${left[@]}"
  for ((round = 0; round < 10 && \${#left[@]} && !idle; round++)); do
    pause 0.05
    survivors
  done
  for ((round = 0; round < 300 && \${#left[@]} + \${#waiters[@]}; round++)); do
    # What is stopped forks no more, so that the last look finds all of it.
    for ((look = 0, count = -1; look < 20 && count != \${#left[@]}; look++)); do
      count=\${#left[@]}
      kill -STOP "\${left[@]}" "\${waiters[@]}"
      survivors
    done
    kill -KILL "\${left[@]}" "\${waiters[@]}"
    pause 0.01
    survivors
  done
}

# No command runs: only those that wait for one are ended.
quit() {
  idle=1
  end_children
  exit
}

end_children() {
  if [ -e /proc/self/stat ]; then end_all; else end_groups; fi
}

# Where there is no /proc, each process that waits for a command ends its group.
end_groups() {
  local running=$(jobs -pr)
  [ -n "$running" ] && kill -TERM $running
  wait
}

# With job control bash holds descriptors of its own that commands must not inherit.
( set -m; for fd in /proc/$BASHPID/fd/*; do fd=\${fd##*/}; [ "$fd" -gt 9 ] && echo "h $fd" >&7; done )
fifos 0 31
mkfifo -m 600 "$dir/pause" && exec 6<>"$dir/pause"
while IFS= read -r length && take "$length"; do
  eval "$request"
done

end_children
rm -rf -- "$dir" "\${leftovers[@]}"
`.replaceAll("\\${", "${");
