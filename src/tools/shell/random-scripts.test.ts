import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLongRun } from "../../../test/setup/random-cases.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";
import { snapshot } from "../../world/journal/testing/snapshot.js";
import type { ShellResult } from "./shell-result.js";

let root: string;
let workspace: string;
let plain: string;
let tenon: Tenon;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-scripts-")));
  [workspace, plain] = [join(root, "work"), join(root, "plain")];
  mkdirSync(workspace);
  tenon = createTenon({
    workspace,
    // A careful path is held back here, because nobody can be asked.
    config: { stateDir: join(root, "state"), mode: "auto", sandbox: { enabled: "required" } },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/sh" },
    home: root,
  });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

const path = fc
  .array(fc.constantFrom("a", "b", "c", "D", "d"), { minLength: 1, maxLength: 3 })
  .map((names) => names.join("/"));
const folder = fc
  .array(fc.constantFrom("a", "b", "c"), { maxLength: 2 })
  .map((names) => ["."].concat(names).join("/"));
const text = fc.stringMatching(/^[a-z]{0,8}$/);
/** How much of a folder is copied into itself depends on the order in which it is read. */
const two = fc.tuple(path, path).filter(([from, to]) => !to.startsWith(`${from}/`));

/** One line of a script; most of them fail in some states, as lines of scripts do. */
const line: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(path, text)
      .map(([at, data]) => `mkdir -p ${at}; rmdir ${at}; printf '${data}' >${at}`),
  },
  fc.tuple(path, text).map(([at, data]) => `printf '${data}' >>${at}`),
  { weight: 2, arbitrary: path.map((at) => `rm -rf ${at}`) },
  { weight: 2, arbitrary: path.map((at) => `mkdir -p ${at}`) },
  { weight: 2, arbitrary: path.map((at) => `rm -rf ${at}; mkdir -p ${at}/new; touch ${at}/x`) },
  { weight: 2, arbitrary: two.map(([from, to]) => `mv ${from} ${to}`) },
  two.map(([from, to]) => `mv -T ${from} ${to}`),
  two.map(([from, to]) => `cp -a ${from} ${to}`),
  two.map(([from, to]) => `ln -s ${from} ${to}`),
  fc.tuple(path, fc.constantFrom("755", "700", "1755", "500")).map(([at, mode]) => `chmod ${mode} ${at}`),
  // On a layer, mv copies a folder, and what cannot be searched cannot be copied (see the guide).
  path.map((at) => `[ -d ${at} ] || chmod 600 ${at}`),
  path.map((at) => `touch -d 2001-02-03 ${at}`),
  path.map((at) => `truncate -s 70000 ${at}`),
  path.map((at) => `printf y >"${at}$(printf '\\377')"`),
  folder.map((at) => `echo a=b >${at}/.npmrc`),
  folder.map((at) => `mkdir -p ${at}/.vscode; touch ${at}/.vscode/tasks.json`),
  folder.map((at) => `mkfifo ${at}/pipe`),
);
/** Hard links come last: a later change in place of one name would not change the others (see the guide). */
const link = two.map(([from, to]) => `ln ${from} ${to}`);
const scripts = fc.tuple(
  fc.array(fc.array(line, { minLength: 3, maxLength: 14 }), { minLength: 1, maxLength: 3 }),
  fc.array(fc.oneof(line, link), { minLength: 3, maxLength: 14 }),
);

describe("any scripts", () => {
  it(
    "change the workspace as a plain run does, but for what is held back, and are undone exactly",
    { timeout: 1_200_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(scripts, async ([first, last]) => {
          plant();
          const states: { callId: string; before: Record<string, string> }[] = [];
          for (const lines of [...first, last]) {
            // The line itself says nothing about what it changes.
            writeFileSync(
              join(workspace, "script.sh"),
              `umask 022\nexec 2>/dev/null\n${lines.join("\n")}\n:`,
            );
            const before = exactly(workspace);
            const callId = await runBoth(snapshot(workspace));
            states.push({ callId, before });
          }
          for (const { callId, before } of states.toReversed()) {
            const { error } = await tenon.call({ name: "undo_edit", arguments: { call_id: callId } });
            if (error !== undefined && error.code !== "RESOURCE_NOT_FOUND") throw new Error(error.message);
            expect(exactly(workspace)).toEqual(before);
          }
        }),
        { numRuns: isLongRun ? 300 : 3, endOnFailure: true },
      );
    },
  );
});

/** As in the sandbox, root has to obey the permissions of files. */
const plainly = ["--bounding-set=-all", "--inh-caps=-all"];

/** Run a script on a layer and plainly on a copy, and compare; returns the id of the call. */
async function runBoth(before: Record<string, string>): Promise<string> {
  rmSync(plain, { recursive: true, force: true });
  execFileSync("cp", ["-a", workspace, plain]);
  execFileSync("setpriv", [...plainly, "sh", "script.sh"], {
    cwd: plain,
    env: { PATH: process.env["PATH"] },
  });
  // FIFOs are always held back, and reading one would not end.
  execFileSync("find", [plain, "-type", "p", "-delete"]);
  const { callId, result, error } = await tenon.call({
    name: "shell_exec",
    arguments: { command: "sh script.sh", timeout: 120_000 },
  });
  expect(error).toBeUndefined();
  const { heldBack = [], conflicts, exitCode, notes } = result as ShellResult;
  expect({ conflicts, exitCode, notes }).toEqual({ conflicts: undefined, exitCode: 0, notes: [] });
  const held = heldBack.map((each) => each.path);
  const isHeld = (at: string): boolean => held.some((each) => isAt(at, each));
  const keep = (state: Record<string, string>, wants: (at: string) => boolean): Record<string, string> =>
    Object.fromEntries(Object.entries(state).filter(([at]) => wants(at)));
  expect(snapshot(workspace)).toEqual({
    ...keep(snapshot(plain), (at) => !isHeld(at)),
    ...keep(before, isHeld),
  });
  return callId;
}

/** Names that are not valid UTF-8 are shown with U+FFFD. */
function isAt(at: string, held: string): boolean {
  const shown = Buffer.from(at, "latin1").toString();
  return shown === held || shown.startsWith(`${held}/`);
}

function plant(): void {
  execFileSync("rm", ["-rf", "--", ...readdirSync(workspace).map((name) => join(workspace, name))]);
  for (const at of ["a/b", "b/c/a"]) mkdirSync(join(workspace, at), { recursive: true });
  for (const at of ["a/b/c", "a/d", "b/c/a/b", "d"]) writeFileSync(join(workspace, at), `${at}\n`);
}

/** Contents, modes and link targets, and which names are one file. */
function exactly(top: string): Record<string, string> {
  const found = snapshot(top);
  delete found["script.sh"]; // every run replaces it
  const groups = new Map<number, string[]>();
  for (const at of Object.keys(found)) {
    const { ino, nlink, mtimeMs } = lstatSync(Buffer.from(`${top}/${at}`, "latin1"));
    if (found[at]?.startsWith("file")) found[at] += ` ${mtimeMs}`;
    if (nlink > 1 && found[at]?.startsWith("file")) groups.set(ino, [...(groups.get(ino) ?? []), at]);
  }
  for (const names of groups.values())
    for (const at of names) found[at] += ` = ${names.toSorted().join(" ")}`;
  return found;
}
