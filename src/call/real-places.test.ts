import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTenon } from "../runtime/create-tenon.js";
import type { Tenon } from "../runtime/tenon.js";

let root: string;
let workspace: string;
let tenon: Tenon;
let asked: string[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-real-places-")));
  workspace = join(root, "work");
  mkdirSync(workspace);
  asked = [];
  tenon = createTenon({
    workspace,
    config: {
      stateDir: join(root, "state"),
      mode: "auto",
      policy: {
        rules: [
          { decision: "deny", path: "deploy/prod.yml", access: "write" },
          { decision: "deny", path: "salaries/**" },
          { decision: "ask", path: "ops/**", access: "write" },
        ],
      },
    },
    env: { PATH: process.env["PATH"], HOME: root },
    home: root,
    interact: {
      approve({ toolName }) {
        asked.push(toolName);
        return false;
      },
    },
  });
  for (const folder of ["deploy", "ops", "salaries", ".github/workflows", "src"])
    mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(workspace, "salaries/may"), "secret\n");
  for (const [link, target] of Object.entries({
    d: "deploy",
    o: "ops",
    s: "salaries",
    gh: ".github",
    rc: ".npmrc",
    code: "src",
  }))
    symlinkSync(target, join(workspace, link));
});
afterEach(async () => {
  await tenon.close();
  rmSync(root, { recursive: true });
});

const call = (name: string, input: object) => tenon.call({ name, arguments: input });
const isThere = (path: string): boolean => existsSync(join(workspace, path));

it.each([
  ["d/prod.yml", "deploy/prod.yml", 0],
  ["o/x", "ops/x", 1],
  ["gh/workflows/ci.yml", ".github/workflows/ci.yml", 1],
  ["rc", ".npmrc", 1],
])("judges what a call writes through a link by where it leads: %s", async (path, real, questions) => {
  const code = questions === 0 ? "ACCESS_DENIED" : "APPROVAL_DENIED";
  expect(await call("write_file", { path, content: "x" })).toFailWith(code);
  expect(
    await call("apply_patch", { patch: `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n` }),
  ).toFailWith(code);
  expect(asked).toHaveLength(2 * questions);
  expect(await call("shell_exec", { command: `echo x >${path}` })).toFailWith(code);
  expect(isThere(real)).toBe(false);
  expect(asked).toHaveLength(3 * questions);
});

it.each(["code", "src"])("asks before %s is moved to where a careful path leads through it", async (from) => {
  expect(await call("move_file", { from, to: ".cargo" })).toMatchObject({
    error: { code: "APPROVAL_DENIED" },
  });
  expect(isThere(".cargo")).toBe(false);
});

it("judges what a call reads through a link by where it leads", async () => {
  for (const path of ["salaries/may", "s/may"])
    expect(await call("read_file", { path })).toMatchObject({ error: { code: "ACCESS_DENIED" } });
});

it("asks nobody about a link to a place that no rule is about", async () => {
  expect(await call("write_file", { path: "code/a.ts", content: "x" })).toSucceed();
  expect(isThere("src/a.ts")).toBe(true);
  expect(asked).toEqual([]);
});
