import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenon } from "../src/runtime/create-tenon.js";
import type { Session } from "../src/runtime/sessions/session.js";
import type { Tenon } from "../src/runtime/tenon.js";
import { isLongRun } from "./setup/random-cases.js";

const files = ["a", "b", "c"] as const;

/** Adds a line of its own to files: by a command, which may take a while, or by reading and writing one. */
interface Step {
  readonly kind: "command" | "edit";
  readonly files: readonly string[];
  readonly pauseMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("command", "command", "edit"),
  files: fc.uniqueArray(fc.constantFrom(...files), { minLength: 1, maxLength: 2 }),
  pauseMs: fc.constantFrom(0, 0, 30, 80),
});
const programs = fc.array(fc.array(step, { minLength: 2, maxLength: 4 }), { minLength: 2, maxLength: 3 });

/** What a step was told: the files that got its line, and those that did not. */
interface Told {
  readonly mark: string;
  readonly committed: readonly string[];
  readonly refused: readonly string[];
}

let root: string;
let workspace: string;
let tenon: Tenon;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-concurrent-")));
  workspace = join(root, "work");
  mkdirSync(workspace);
  tenon = createTenon({
    workspace,
    config: { stateDir: join(root, "state"), mode: "auto", sandbox: { layers: { enabled: true } } },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
    home: root,
  });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

async function runCommand(session: Session, mark: string, { files: own, pauseMs }: Step): Promise<Told> {
  const add = own.map((file) => `echo ${mark} >>${file}`).join("; ");
  // The pause is in the middle, so that others commit between what it reads and what it leaves.
  const command = `${add.split("; ")[0]}; sleep ${pauseMs / 1000}; ${add.split("; ").slice(1).join("; ") || "true"}`;
  const { result, error } = await session.call("shell_exec", { command });
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
  const refused = (result.conflicts ?? []).map(({ path }) => path);
  return { mark, committed: own.filter((file) => !refused.includes(file)), refused };
}

async function runEdit(session: Session, mark: string, { files: [file = "a"] }: Step): Promise<Told> {
  await session.call("read_file", { path: file });
  const content = `${readFileSync(join(workspace, file), "utf8")}${mark}\n`;
  const { error } = await session.call("write_file", { path: file, content });
  if (error === undefined) return { mark, committed: [file], refused: [] };
  expect(error.code).toMatch(/^(?:EDIT_STALE|EDIT_NOT_READ|FILE_CHANGED)$/);
  return { mark, committed: [], refused: [file] };
}

/** Commands that follow each other are sent at once: the order of the session must hold without waiting. */
async function runProgram(program: readonly Step[], name: string): Promise<Told[]> {
  const session = tenon.createSession();
  const told: Promise<Told>[] = [];
  for (const [at, one] of program.entries()) {
    const mark = `${name}${at}`;
    if (one.kind === "edit") await Promise.all(told);
    told.push((one.kind === "edit" ? runEdit : runCommand)(session, mark, one));
    if (one.kind === "edit") await told.at(-1);
  }
  const all = await Promise.all(told);
  await session.close();
  return all;
}

/** Whether the orders can all be part of one. */
function haveCommonOrder(orders: readonly (readonly string[])[]): boolean {
  const after = new Map<string, Set<string>>();
  for (const order of orders) {
    for (const [at, mark] of order.entries()) {
      const later = after.get(mark) ?? new Set();
      after.set(mark, later);
      const next = order[at + 1];
      if (next !== undefined) later.add(next);
    }
  }
  while (after.size > 0) {
    const targets = new Set([...after.values()].flatMap((each) => [...each]));
    const first = [...after.keys()].find((mark) => !targets.has(mark));
    if (first === undefined) return false;
    after.delete(first);
  }
  return true;
}

describe("sessions that edit and run commands side by side", () => {
  it("leave what some serial order of their commits leaves, and are told what is not in it", async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (all) => {
        for (const file of files) writeFileSync(join(workspace, file), "start\n");
        const told = await Promise.all(all.map((program, at) => runProgram(program, "xyz"[at] ?? "")));
        const lines = Object.fromEntries(
          files.map((file) => [
            file,
            readFileSync(join(workspace, file), "utf8").trimEnd().split("\n").slice(1),
          ]),
        );
        for (const { mark, committed, refused } of told.flat()) {
          for (const file of committed) expect(lines[file]?.filter((line) => line === mark)).toEqual([mark]);
          for (const file of refused) expect(lines[file]).not.toContain(mark);
        }
        const sessions = told.map((own) =>
          own.filter(({ committed }) => committed.length > 0).map(({ mark }) => mark),
        );
        expect(haveCommonOrder([...Object.values(lines), ...sessions])).toBe(true);
      }),
      { numRuns: isLongRun ? 100 : 6 },
    );
  }, 900_000);
});
