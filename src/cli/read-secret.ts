import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { UsageError, type Terminal } from "./command-line.js";

const maxChars = 65_536;

/** A value that must not stand in the command line, where other processes see it: typed unseen, or piped in. */
export async function readSecret(terminal: Terminal, label: string): Promise<string> {
  const value = terminal.stdin.isTTY === true ? await ask(terminal, label) : await readAll(terminal);
  if (value === "") throw new UsageError(`No value for ${label} was given on standard input.`);
  return value;
}

/** The end of the last line is not part of the value. */
async function readAll({ stdin }: Terminal): Promise<string> {
  let text = "";
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > maxChars) throw new UsageError(`The value is longer than ${maxChars} characters.`);
  }
  return text.replace(/\r?\n$/, "");
}

function ask({ stdin, stderr, interrupted }: Terminal, label: string): Promise<string> {
  stderr.write(`Value of ${label} (not shown): `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  return new Promise((resolve, reject) => {
    const end = (finish: () => void): void => {
      interrupted.removeEventListener("abort", onInterrupt);
      lines.close();
      stderr.write("\n");
      finish();
    };
    const onInterrupt = (): void => end(() => reject(new UsageError("Nothing was stored.")));
    interrupted.addEventListener("abort", onInterrupt, { once: true });
    lines.once("SIGINT", onInterrupt);
    lines.once("line", (line) => end(() => resolve(line)));
  });
}
