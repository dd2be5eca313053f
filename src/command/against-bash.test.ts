import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseCommand } from "./analyse-command.js";
import type { CommandAnalysis, SimpleCommand } from "./command-analysis.js";
import { shellLine, shims } from "./random-lines.fixture.js";

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-command-"));
  mkdirSync(join(root, "bin"));
  mkdirSync(join(root, "work"));
  for (const file of ["f1.txt", "f2"]) writeFileSync(join(root, "work", file), "");
  for (const name of shims) {
    const shim = join(root, "bin", name);
    // One record a call, written at once: the name, its words and a mark, each closed by NUL.
    writeFileSync(shim, `#!/bin/sh\nprintf '%s\\0' ${name} "$@" '\u001E' >> "$SHIM_LOG"\n`);
    chmodSync(shim, 0o755);
  }
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

let runs = 0;

/** Run a line in bash and read which shims it started, with which words. */
async function runInBash(line: string): Promise<readonly (readonly string[])[]> {
  const log = join(root, `log-${runs++}`);
  writeFileSync(log, "");
  const env = {
    PATH: `${join(root, "bin")}:/usr/bin:/bin`,
    SHIM_LOG: log,
    FUNCNEST: "8",
    LC_ALL: "C.UTF-8",
    HOME: "/home/user",
  };
  await new Promise<void>((resolve) => {
    const child = execFile("/bin/bash", ["-c", line], { cwd: join(root, "work"), env, timeout: 10_000 }, () =>
      resolve(),
    );
    child.stdin?.end();
  });
  return readFileSync(log, "utf8")
    .split("\u001E\0")
    .filter((record) => record !== "")
    .map((record) => record.split("\0").slice(0, -1));
}

/** Whether what ran was reported: word for word, or by a command of which something is not known. */
function isReported(ran: readonly string[], { commands, unknown }: CommandAnalysis): boolean {
  return unknown.length > 0 || commands.some((command) => accountsFor(command, ran));
}

function accountsFor({ words, unknownWords, why }: SimpleCommand, ran: readonly string[]): boolean {
  if (unknownWords.includes(0) || why?.startsWith("what it") === true) return true;
  if (words[0] !== ran[0]) return false;
  if (unknownWords.length > 0) return true;
  if (words.some((word) => /[*?[]/.test(word))) return true;
  return words.length === ran.length && words.every((word, at) => word === ran[at]);
}

describe("the analysis against bash", () => {
  it(
    "reports every command that bash runs, or says that something is not known",
    { timeout: 300_000 },
    async () => {
      let clear = 0;
      let ranAtAll = 0;
      await fc.assert(
        fc.asyncProperty(shellLine, async (line) => {
          const analysis = analyseCommand(line, { workspace: join(root, "work") });
          const ran = await runInBash(line);
          ranAtAll += ran.length;
          if (analysis.unknown.length === 0 && analysis.commands.every(({ known }) => known)) clear += 1;
          for (const words of ran) {
            expect(isReported(words, analysis), `${JSON.stringify(words)} ran, but was not reported`).toBe(
              true,
            );
          }
        }),
        { numRuns: Number(process.env["TENON_FUZZ_RUNS"] ?? 120) },
      );
      // Or else the test would show nothing.
      expect(ranAtAll).toBeGreaterThan(50);
      expect(clear).toBeGreaterThan(10);
    },
  );
});
