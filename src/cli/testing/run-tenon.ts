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
  /** Say that both outputs are a terminal of that width. */
  readonly columns?: number;
}

/** Run a command line in this process, as a terminal would. */
export async function runTenon(args: readonly string[], options: RunOptions): Promise<Ended> {
  const texts = { out: "", err: "" };
  const { cwd, env = {}, interrupted = new AbortController().signal, columns } = options;
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
    stdin: new PassThrough(),
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
