import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ToolResourceNotFoundError, ToolValidationError } from "../../contract/errors.js";
import type { Guard } from "./guard-types.js";
import { createGuard } from "./guard.js";
import { nearestPath, suggestPath } from "./nearest-path.js";
import { createPathRules } from "./path-rules.js";

let root: string;
let guard: Guard;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-nearest-")));
  mkdirSync(join(root, "source/parse"), { recursive: true });
  for (const name of ["source/parse/reader.ts", "source/secret.key", "locked.yml"])
    writeFileSync(join(root, name), "");
  const rules = createPathRules({
    workspace: root,
    forbiddenPaths: ["*.key"],
    protectedGlobs: ["locked.yml"],
  });
  guard = createGuard({ rules, maxFileSize: 1e6 });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the path that was probably meant", () => {
  it.each([
    ["sorce/parse/raeder.ts", "source/parse/reader.ts"],
    ["source/parse/readr.ts", "source/parse/reader.ts"],
    ["./sourc", "source"],
    ["loked.yml", "locked.yml"],
  ])("for %s is %s", async (wanted, meant) => {
    expect(await nearestPath(guard, wanted)).toBe(meant);
    expect(await nearestPath(guard, join(root, wanted))).toBe(join(root, meant));
  });

  it.each(["source/secre.key", "nothing/like/it", "source/parse/reader.ts/below"])(
    "for %s is none, as nothing is near or it may not be read",
    async (wanted) => {
      expect(await nearestPath(guard, wanted)).toBeUndefined();
    },
  );
});

describe("an error about a path that does not exist", () => {
  const missing = new ToolResourceNotFoundError("not there", { details: { path: "x" } });
  const fail = (error: Error) => (): never => {
    throw error;
  };

  it("names the path that was probably meant", async () => {
    await expect(suggestPath(guard, "sorce", fail(missing))).rejects.toMatchObject({
      message: "Not found: not there",
      hint: 'Did you mean "source"?',
      details: { path: "x", nearest: "source" },
    });
  });

  it("stays as it is where nothing is near, and so does any other", async () => {
    await expect(suggestPath(guard, "nothing", fail(missing))).rejects.toBe(missing);
    const other = new ToolValidationError("no");
    await expect(suggestPath(guard, "sorce", fail(other))).rejects.toBe(other);
    expect(await suggestPath(guard, "sorce", () => 7)).toBe(7);
  });
});
