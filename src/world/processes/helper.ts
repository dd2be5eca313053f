import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { helperScript } from "./helper-script.js";

/** One line that the helper reports; see helper-script.ts. */
export interface HelperReport {
  readonly kind: string;
  readonly id: number;
  /** A process id, an exit code or the last fifo. */
  readonly value: number;
}

/** A running helper. */
export interface Helper {
  /** `undefined` if it could not be started. */
  readonly pid: number | undefined;
  /** Whether it can take requests. */
  readonly alive: boolean;
  send(script: string): void;
  /** Whether to keep the host process alive. */
  hold(on: boolean): void;
  /** Let it end by itself; resolves when it has ended. */
  end(): Promise<void>;
  /** Kill it. */
  kill(): void;
}

export interface HelperOptions {
  readonly bash: string;
  /** Its private folder. */
  readonly dir: string;
  readonly tag: string;
  /** Make it adopt the orphans of what it starts, if perl is installed. */
  readonly adoptOrphans: boolean;
  readonly onReport: (report: HelperReport) => void;
  /** It accepts no more requests; reports about what it started may still arrive. */
  readonly onExit: () => void;
}

/** Start a helper; this is the only fork of the host process. */
export function startHelper(options: HelperOptions): Helper {
  const script = [
    options.bash,
    "--norc",
    "--noprofile",
    "-c",
    helperScript,
    "tenon",
    options.dir,
    options.tag,
  ];
  const [file = options.bash, ...args] = options.adoptOrphans ? asSubreaper(script) : script;
  const child = spawn(file, args, {
    env: { PATH: "/usr/bin:/bin:/usr/local/bin", LC_ALL: "C" },
    cwd: "/",
    // In its own session it gets no Ctrl-C from the terminal, and commands have no terminal to prompt on.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  let alive = true;
  const exited = new Promise<void>((resolve) => {
    const done = (): void => {
      if (!alive) return;
      alive = false;
      options.onExit();
      resolve();
    };
    child.once("error", done);
    child.once("exit", done);
  });
  const { stdin, stdout } = child as ChildProcess & Record<"stdin" | "stdout", Socket | undefined>;
  // When the process is out of file descriptors, the child exists but has no pipes.
  if (stdin === undefined || stdout === undefined) throw new Error("EMFILE: too many files are open");
  stdin.on("error", () => {}); // EPIPE: its exit is handled above
  stdout.on("error", () => {});
  readReports(stdout, options.onReport);
  return {
    pid: child.pid,
    get alive() {
      return alive;
    },
    send: (script) => void stdin.write(frame(script)),
    hold(on) {
      for (const handle of [child, stdin, stdout]) {
        if (on) handle.ref();
        else handle.unref();
      }
    },
    async end() {
      for (const handle of [child, stdin]) handle.ref();
      stdin.end();
      await exited;
      stdout.destroy();
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

/** `prctl(PR_SET_CHILD_SUBREAPER, 1)`, which a shell cannot call and which survives exec. */
function asSubreaper(argv: readonly string[]): readonly string[] {
  const number = { x64: 157, arm64: 167 }[process.arch as string];
  if (process.platform !== "linux" || number === undefined || !existsSync(perl)) return argv;
  return [perl, "-e", `syscall(${number}, 36, 1, 0, 0, 0); exec @ARGV`, ...argv];
}

/** Calls what a shell cannot. */
export const perl = "/usr/bin/perl";

function frame(script: string): string {
  return `${Buffer.byteLength(script) + 1}\n${script}\n`;
}

function readReports(stdout: Socket, onReport: (report: HelperReport) => void): void {
  let rest = "";
  stdout.setEncoding("latin1");
  stdout.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [kind = "", id, value] = line.split(" ");
      onReport({ kind, id: Number(id), value: Number(value) });
    }
  });
}
