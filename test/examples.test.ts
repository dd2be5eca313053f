import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..");
const examples = readdirSync(join(root, "examples")).filter((file) => file.endsWith(".ts"));

describe("the examples", () => {
  it("are there", () => {
    expect(examples).toContain("quick-start.ts");
  });

  it.each(examples)("%s runs and finds what it asserts", async (file) => {
    const state = mkdtempSync(join(tmpdir(), "tenon-example-"));
    try {
      // They import the built package by its name, as a user's program does.
      const { stderr } = await run(
        process.execPath,
        [join(root, "node_modules/jiti/lib/jiti-cli.mjs"), join(root, "examples", file)],
        {
          cwd: root,
          env: { ...process.env, TENON_STATE_DIR: state },
        },
      );
      expect(stderr).toBe("");
    } finally {
      rmSync(state, { recursive: true, force: true });
    }
  });
});
