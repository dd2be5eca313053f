import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { pluginTemplate } from "../src/plugin/template.js";

const run = promisify(execFile);

it("the plugin that `tenon plugins create` writes passes its own test", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-template-"));
  try {
    for (const [name, text] of Object.entries(pluginTemplate("@me/my.words", "0.1.0"))) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(resolve(import.meta.dirname, ".."), join(folder, "node_modules/tenon"));
    // Node sets this for the children of its own test runner; the template's run is none of ours.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await run(process.execPath, ["--test"], { cwd: folder, env });
    expect(stdout).toMatch(/pass 2\b/);
    expect(stdout).toMatch(/fail 0\b/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
