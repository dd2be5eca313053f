import { spawn } from "node:child_process";
import type { Launcher } from "../processes/launch.js";
import { sendSignal } from "../processes/stop-tree.js";

/** ripgrep's program and how it is started. */
export interface Ripgrep {
  /** Absolute path. */
  readonly path: string;
  /** Starts it without a fork of this process, which takes the longer the larger it is. @default a fork */
  readonly launch?: Launcher["launch"] | undefined;
}

export interface RipgrepStart {
  readonly program: Ripgrep;
  readonly args: readonly string[];
  /** Absolute real path of the directory to search in. */
  readonly directory: string;
  /** Receives what it writes; the bytes are valid only until it returns. */
  readonly onBytes: (stream: "stdout" | "stderr", bytes: Buffer) => void;
}

/** A ripgrep that runs or is about to. */
export interface RunningRipgrep {
  /** Its exit code, once all its output was handed on; another than its own, or `null`, if it was killed. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

/** Start ripgrep through its launcher, and directly where there is none or it fails. */
export function startRipgrep(start: RipgrepStart): RunningRipgrep {
  const { launch } = start.program;
  if (launch === undefined) return spawnRipgrep(start);
  let running: RunningRipgrep | undefined;
  let killed = false;
  let giveUp = (): void => {};
  const gaveUp = new Promise<null>((resolve) => (giveUp = () => resolve(null)));
  const ended = launchRipgrep(start, launch)
    .catch(() => (killed ? undefined : spawnRipgrep(start))) // nothing was started: if this fails too, it says why
    .then((started) => {
      running = started;
      if (killed) running?.kill();
      return running?.ended ?? null;
    });
  return {
    ended: Promise.race([ended, gaveUp]),
    kill() {
      killed = true;
      // A launcher may be slow on a busy machine: nobody waits for a start that is not wanted any more.
      if (running === undefined) giveUp();
      else running.kill();
    },
  };
}

async function launchRipgrep(start: RipgrepStart, launch: Launcher["launch"]): Promise<RunningRipgrep> {
  const { program, args, directory: cwd, onBytes } = start;
  const running = await launch({ file: program.path, args, cwd, env: {} }, (stream, bytes) => {
    onBytes(stream, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return undefined;
  });
  let exited = false;
  const ended = running.exited.then(async ({ code }) => {
    exited = true;
    await running.drained;
    return code;
  });
  return {
    ended,
    kill() {
      // Its number may be another's by then.
      if (!exited) sendSignal(-running.pid, "SIGKILL");
    },
  };
}

function spawnRipgrep({ program, args, directory, onBytes }: RipgrepStart): RunningRipgrep {
  const child = spawn(program.path, args, {
    cwd: directory,
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  child.stdout.on("data", (chunk: Buffer) => onBytes("stdout", chunk));
  child.stderr.on("data", (chunk: Buffer) => onBytes("stderr", chunk));
  return {
    ended: new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }),
    kill: () => void child.kill("SIGKILL"),
  };
}
