import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import type { ToolContext } from "../contract/context.js";
import { defineTool } from "../contract/define-tool.js";
import type { Resource } from "../contract/resources.js";
import { createTenon } from "../runtime/create-tenon.js";
import type { Tenon } from "../runtime/tenon.js";

let root: string;
let workspace: string;
let tenon: Tenon;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-swapped-")));
  workspace = join(root, "work");
  for (const folder of ["deploy", "ops", ".github/workflows", "src", "d", "salaries"])
    mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(workspace, "salaries/may"), "secret\n");
  tenon = createTenon({
    workspace,
    config: {
      stateDir: join(root, "state"),
      mode: "auto",
      policy: {
        rules: [
          { decision: "allow", path: "deploy/new/open.yml" },
          { decision: "deny", path: "deploy/**", access: "write" },
          { decision: "deny", path: "salaries/**" },
          { decision: "ask", path: "ops/**", access: "write" },
        ],
      },
    },
    env: { PATH: process.env["PATH"], HOME: root },
    home: root,
    interact: { approve: () => true },
  });
});
afterEach(async () => {
  await tenon.close();
  rmSync(root, { recursive: true });
});

/** Exchange the folder `d` for a link, as another process can while a call runs. */
function swap(target: string): void {
  renameSync(join(workspace, "d"), join(workspace, "d-before"));
  symlinkSync(target, join(workspace, "d"));
}

type Act = (files: ToolContext["files"]) => Promise<unknown>;

function run(act: Act, writes: readonly Resource[]): Promise<unknown> {
  tenon.registry.register(
    defineTool({
      name: "late",
      description: "Acts after it was judged.",
      category: "file",
      annotations: { dangerous: true },
      input: z.object({}),
      resources: () => ({ writes }),
      execute: async (_input, ctx) => {
        await act(ctx.files);
        return {};
      },
    }),
  );
  return tenon.call({ name: "late", arguments: {} });
}

const data = new TextEncoder().encode("x\n");
const acts: readonly (readonly [what: string, act: (path: string) => Act])[] = [
  ["writes", (path) => (files) => files.write(path, data)],
  ["appends to", (path) => (files) => files.append(path, data)],
  ["makes a folder at", (path) => (files) => files.mkdir(path)],
  ["moves to", (path) => (files) => files.move("mine", path)],
  ["copies to", (path) => (files) => files.copy("mine", path)],
];
const places = [
  ["a rule denies", "deploy", "prod.yml"],
  ["a rule asks about", "ops", "x"],
  ["a careful path asks about", ".github/workflows", "ci.yml"],
] as const;

it.each(acts.flatMap(([what, act]) => places.map((place) => [what, place[0], place, act] as const)))(
  "refuses a call that %s a path that leads to what %s since it was judged",
  async (_what, _why, [, target, name], act) => {
    writeFileSync(join(workspace, "mine"), "mine\n");
    const answer = await run(
      async (files) => {
        swap(target);
        await act(`d/${name}`)(files);
      },
      [{ path: `d/${name}` }, { path: "mine" }],
    );
    expect(answer).toMatchObject({
      success: false,
      error: { code: "PATH_FORBIDDEN", message: expect.stringContaining("since the call was judged") },
    });
    expect(existsSync(join(workspace, target, name))).toBe(false);
  },
);

it("refuses a deletion that leads to what a rule denies since it was judged", async () => {
  writeFileSync(join(workspace, "deploy/prod.yml"), "x");
  const answer = await run(
    async (files) => {
      swap("deploy");
      await files.delete("d/prod.yml");
    },
    [{ path: "d/prod.yml" }],
  );
  expect(answer).toMatchObject({ success: false, error: { code: "PATH_FORBIDDEN" } });
  expect(existsSync(join(workspace, "deploy/prod.yml"))).toBe(true);
});

it("refuses to read what a path leads to since the call was judged", async () => {
  const answer = await run(async (files) => {
    swap("salaries");
    await files.read("d/may");
  }, []);
  expect(answer).toMatchObject({ success: false, error: { code: "PATH_FORBIDDEN" } });
});

it.each([
  ["no rule is about", "d/x", "src"],
  ["a rule allows, in folders that it makes", "deploy/new/open.yml", undefined],
  ["a person consented to", "ops/x", undefined],
])("lets a call change what %s", async (_what, path, target) => {
  const answer = await run(
    async (files) => {
      if (target !== undefined) swap(target);
      await files.write(path, data);
    },
    [{ path }],
  );
  expect(answer).toMatchObject({ success: true });
  expect(existsSync(join(workspace, dirname(path)))).toBe(true);
});
