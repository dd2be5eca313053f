import type { Command } from "commander";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "./main.js";
import { commandPath } from "./report-error.js";
import { sharedOptions } from "./shared-options.js";
import { runTenon, silentTerminal, type Ended } from "./testing/run-tenon.js";

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "tenon-names-"));
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = (args: readonly string[]): Promise<Ended> =>
  runTenon(args, { cwd, env: { TENON_STATE_DIR: join(cwd, "state") }, input: "" });

const worst = "two\nlines\u001b[31m";
const names = [
  "two words",
  `it's "quoted" \`$(touch ran)\``,
  "👩‍👩‍👧 emoji",
  "中文名字",
  "--dashes",
  "../up/../../and away",
  "x".repeat(5000),
  "",
];

/** These run until they are stopped, or ask a network. */
const endless = /^tenon (?:mcp|serve|worker|agent|complete|completion|doctor|fleet .*|plugins add)$/;

function leaves(command: Command): Command[] {
  const own = command.registeredArguments.length > 0 || command.commands.length === 0 ? [command] : [];
  const all = [...own, ...command.commands.filter((child) => child.name() !== "help").flatMap(leaves)];
  return all.filter((one) => !endless.test(commandPath(one)));
}

const commands = leaves(createProgram(silentTerminal("/"))).map((command) => ({
  path: commandPath(command).split(" ").slice(1),
  count: command.registeredArguments.filter(({ required }) => required).length || 1,
  takesWords: command.registeredArguments.length > 0,
  options: command.options
    .filter((option) => option.required && !sharedOptions.includes(option))
    .map(({ long }) => long ?? ""),
}));

/** A sentence for a person: no stack, no system call, nothing that a terminal would obey. */
function expectSentence({ code, out, err }: Ended, line: string): void {
  expect([0, 1, 2, 3], line).toContain(code);
  expect(err, line).not.toMatch(/^\s+at .*:\d+:\d+|ENOENT|EINVAL|ENAMETOOLONG|undefined|\[object/m);
  expect(out + err, line).not.toContain("\u001b");
  if (code !== 0) expect(out + err, line).toMatch(/\S/);
}

describe("names that nobody expects", () => {
  it.each(commands.filter(({ takesWords }) => takesWords))(
    "as arguments of $path",
    async ({ path, count }) => {
      for (const name of [worst, names[path.join().length % names.length] as string]) {
        const line = [...path, "--", ...Array<string>(count).fill(name)];
        expectSentence(await run(line), JSON.stringify(line));
      }
    },
  );

  it.each(commands.flatMap(({ path, options }) => options.map((option) => ({ path, option }))))(
    "as $option of $path",
    async ({ path, option }) => {
      const line = [...path, `${option}=${worst}`];
      expectSentence(await run(line), JSON.stringify(line));
    },
  );
});
