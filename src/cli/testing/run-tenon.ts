import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { Terminal } from "../command-line.js";
import { runCommandLine } from "../main.js";

/** How a command line ended, and what it said. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly interrupted?: AbortSignal;
  /** What is piped in. @default nothing, and it stays open */
  readonly input?: string;
  /** Say that both outputs are a terminal of that width. */
  readonly columns?: number;
}

/** A terminal that shows nothing, for the commands themselves. */
export function silentTerminal(cwd: string): Terminal {
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { signal } = new AbortController();
  return {
    stdin: new PassThrough(),
    stdout: sink,
    stderr: sink,
    env: {},
    cwd,
    exitCode: 0,
    interrupted: signal,
  };
}

/** Run a command line in this process, as a terminal would. */
export async function runTenon(args: readonly string[], options: RunOptions): Promise<Ended> {
  const texts = { out: "", err: "" };
  const { cwd, env = {}, interrupted = new AbortController().signal, columns, input } = options;
  const sink = (name: "out" | "err") => {
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        texts[name] += chunk.toString();
        done();
      },
    });
    return columns === undefined ? stream : Object.assign(stream, { isTTY: true, columns });
  };
  const terminal: Terminal = {
    stdin: input === undefined ? new PassThrough() : new PassThrough().end(input),
    stdout: sink("out"),
    stderr: sink("err"),
    // The developer's own configuration has no say in tests.
    env: { XDG_CONFIG_HOME: join(cwd, ".no-config"), ...env },
    cwd,
    exitCode: 0,
    interrupted,
  };
  await runCommandLine([...args], terminal);
  return { code: terminal.exitCode, ...texts };
}
