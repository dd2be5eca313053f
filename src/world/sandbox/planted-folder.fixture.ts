import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A folder for each test of a file, and what creates files in it. */
export function usePlantedFolder() {
  let root = "";
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-planted-")));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  return {
    get root() {
      return root;
    },
    plant: (files: Readonly<Record<string, string>>): void => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
    },
  };
}
