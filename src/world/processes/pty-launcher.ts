import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolUnavailableError } from "../../contract/errors.js";
import { throughGroup, type CommandGroup } from "../sandbox/command-group.js";
import { cannotStart } from "./launch-errors.js";
import type { Exit, Launch, Launcher, OutputSink, Running } from "./launch.js";
import { shellQuote } from "../../command/shell-quote.js";

/** The part of node-pty that is used. */
interface PtyModule {
  spawn(file: string, args: string[], options: object): Pty;
}

interface Pty {
  readonly pid: number;
  onData(listener: (data: Uint8Array | string) => void): void;
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): void;
  write(data: string): void;
  pause(): void;
  resume(): void;
  kill(signal?: string): void;
}

/** A launcher for programs that need a terminal; requires the optional package @lydell/node-pty. */
export function createPtyLauncher(
  tempDir: string,
  openGroup: () => CommandGroup | undefined = () => undefined,
): Launcher {
  let loading: Promise<PtyModule> | undefined;
  return {
    async launch(plain, sink) {
      loading ??= loadPty();
      const module = await loading;
      const group = openGroup();
      const launch = { ...plain, ...throughGroup(plain, group) };
      if (launch.fds === undefined || launch.fds.length === 0)
        return { ...toRunning(spawnPty(module, launch), sink), group };
      const dir = await mkdtemp(join(tempDir, "tenon-"));
      const removeDir = (): Promise<void> => rm(dir, { recursive: true, force: true });
      try {
        const running = toRunning(spawnPty(module, await throughShell(launch, dir)), sink);
        void running.exited.then(removeDir);
        return { ...running, group };
      } catch (error) {
        await removeDir();
        throw error;
      }
    },
    close: async () => {},
  };
}

async function loadPty(): Promise<PtyModule> {
  try {
    const module = (await import("@lydell/node-pty")) as unknown as PtyModule & { default?: PtyModule };
    return module.default ?? module;
  } catch (cause) {
    throw new ToolUnavailableError(
      "Pseudo-terminals are not available: the package @lydell/node-pty could not be loaded.",
      {
        code: "SERVICE_UNAVAILABLE",
        retryable: false,
        cause,
        hint: "Run the command without pty, or install @lydell/node-pty next to Tenon.",
      },
    );
  }
}

/** node-pty cannot pass file descriptors, so a shell opens them and then becomes the program. */
async function throughShell(launch: Launch, dir: string): Promise<Launch> {
  const files = await Promise.all(
    (launch.fds ?? []).map(async ({ fd, data }) => {
      const path = join(dir, String(fd));
      await writeFile(path, data, { mode: 0o600 });
      return `${fd}<${shellQuote(path)}`;
    }),
  );
  const script = `exec ${files.join(" ")}; exec "$0" "$@"`;
  return { ...launch, file: "/bin/sh", args: ["-c", script, launch.file, ...launch.args] };
}

function spawnPty(module: PtyModule, launch: Launch): Pty {
  try {
    return module.spawn(launch.file, [...launch.args], {
      cwd: launch.cwd,
      env: { ...launch.env },
      cols: 120,
      rows: 40,
      name: launch.env["TERM"] ?? "xterm",
      encoding: null,
    });
  } catch (cause) {
    throw cannotStart(launch.file, cause);
  }
}

function toRunning(pty: Pty, sink: OutputSink): Running {
  let listening = true;
  pty.onData((data) => {
    if (!listening) return;
    const busy = sink("stdout", typeof data === "string" ? Buffer.from(data) : data);
    if (busy === undefined) return;
    pty.pause();
    const resume = (): void => pty.resume();
    busy.then(resume, resume);
  });
  let isOpen = true;
  const exited = new Promise<Exit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      isOpen = false;
      resolve(signal ? { code: 128 + signal, signal: null } : { code: exitCode, signal: null });
    });
  });
  return {
    pid: pty.pid,
    exited,
    input: {
      write: async (text) => pty.write(text),
      end: () => pty.write(endOfInput),
      get isOpen() {
        return isOpen;
      },
    },
    // node-pty reports the exit after the terminal has been read to its end.
    drained: exited.then(() => undefined),
    release() {
      listening = false;
    },
    unref() {},
  };
}

/** What a terminal takes for the end of the input, at the beginning of a line. */
const endOfInput = "\u0004";
