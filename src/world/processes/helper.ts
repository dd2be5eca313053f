import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { helperScript } from "./helper-script.js";

/** One line of the helper. */
export interface Report {
  readonly kind: string;
  readonly id: number;
  /** A process id, an exit code or the last fifo. */
  readonly value: number;
}

/** A running helper. */
export interface Helper {
  /** `undefined` where it could not be started. */
  readonly pid: number | undefined;
  /** Whether it can take requests. */
  readonly alive: boolean;
  send(script: string): void;
  /** Keep the host process alive while `on`. */
  hold(on: boolean): void;
  /** Let it end by itself; resolves when it has. */
  end(): Promise<void>;
  /** End it at once. */
  kill(): void;
}

export interface HelperOptions {
  readonly bash: string;
  /** Its private folder. */
  readonly dir: string;
  readonly tag: string;
  /** Let the kernel give it the orphans of what it starts, where a program for that is there. */
  readonly adoptOrphans: boolean;
  readonly onReport: (report: Report) => void;
  /** It takes no more requests; reports of what it started may still come. */
  readonly onExit: () => void;
}

/** Start a helper. The fork happens here, once, and costs what any spawn costs. */
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
    // A session of its own: no Ctrl-C of the terminal reaches it, and no command finds a terminal to prompt on.
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
  // Without a descriptor to spare there is a child, but no pipe to it.
  if (stdin === undefined || stdout === undefined) throw new Error("EMFILE: too many files are open");
  stdin.on("error", () => {}); // EPIPE: its exit tells
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

/** `prctl(PR_SET_CHILD_SUBREAPER, 1)`, which no shell can call, and which lasts when another program is executed. */
function asSubreaper(argv: readonly string[]): readonly string[] {
  const number = { x64: 157, arm64: 167 }[process.arch as string];
  if (process.platform !== "linux" || number === undefined || !existsSync(perl)) return argv;
  return [perl, "-e", `syscall(${number}, 36, 1, 0, 0, 0); exec @ARGV`, ...argv];
}

const perl = "/usr/bin/perl";

function frame(script: string): string {
  return `${Buffer.byteLength(script) + 1}\n${script}\n`;
}

function readReports(stdout: Socket, onReport: (report: Report) => void): void {
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
