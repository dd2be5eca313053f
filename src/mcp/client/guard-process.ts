import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";

/** Ends a program and all that it started where this process ends without having done so, by SIGKILL for one. */
export interface ProcessGuard {
  /** The program was ended: what it left elsewhere is ended, too. */
  dismiss(): void;
}

/** The environment variable by which all processes of a program are found. */
export const guardVariable = "TENON_GUARDED";

const bash = "/bin/bash";

/**
 * Start a small shell that does nothing until its standard input ends, which only this process holds open, then
 * ends what is left of the program.
 * `undefined` where there is none: then a program ends when it reads the end of its own input.
 */
export function guardProcess(pid: number | undefined, mark: string): ProcessGuard | undefined {
  if (pid === undefined || process.platform === "win32" || !existsSync(bash)) return undefined;
  const guard = spawn(bash, ["--norc", "--noprofile", "-c", script, "tenon-guard", String(pid), mark], {
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {}); // no room for another process: the program is guarded by its own input alone
  const stdin = guard.stdin as Socket;
  stdin.on("error", () => {}); // it has ended
  guard.unref();
  stdin.unref();
  return { dismiss: () => void stdin.end() };
}

/** The program reads the end of its input at the same moment, so it gets a second to leave by itself. */
const script = String.raw`
pid=$1 mark=$2 started=
start_of() {
  local stat= fields
  read -r stat <"/proc/$1/stat"
  read -r -a fields <<<"\${stat##*) }"
  echo "\${fields[19]}"
}
[ -e /proc/self/stat ] && started=$(start_of "$pid")

read -r word

# The program, its descendants, and all that carry the mark; the dead count as gone.
survivors() {
  local queue=() at file text child
  left=()
  [ -n "$started" ] && [ "$(start_of "$pid")" = "$started" ] && queue=("$pid")
  while ((\${#queue[@]})); do
    at=\${queue[0]} queue=("\${queue[@]:1}")
    survivor "$at"
    for file in /proc/$at/task/*/children; do
      text=
      read -r -d '' text <"$file"
      for child in $text; do queue+=("$child"); done
    done
  done
  for file in /proc/[0-9]*; do
    text=
    IFS= read -r -d $'\001' text <"$file/environ"
    [[ $text == *"${guardVariable}=$mark"* ]] && survivor "\${file#/proc/}"
  done
}

survivor() {
  local stat=
  read -r stat <"/proc/$1/stat"
  case \${stat##*) } in '' | [ZX]*) ;; *) left+=("$1") ;; esac
}

survivors
for ((round = 0; round < 10 && \${#left[@]}; round++)); do
  sleep 0.1
  survivors
done
if [ -z "$started" ]; then
  kill -TERM -- "-$pid" && sleep 1
  kill -KILL -- "-$pid"
  exit
fi
((\${#left[@]})) && kill -TERM "\${left[@]}"
for ((round = 0; round < 40 && \${#left[@]}; round++)); do
  if ((round > 4)); then
    # What is stopped forks no more, so that the second look finds all of it.
    kill -STOP "\${left[@]}"
    survivors
    kill -KILL "\${left[@]}"
  fi
  sleep 0.1
  survivors
done
`.replaceAll("\\${", "${");
