import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What `manyChanges` change. */
export function plant(root: string): void {
  mkdirSync(join(root, "tree/sub/empty"), { recursive: true });
  mkdirSync(join(root, "directory"));
  const files = {
    edited: "edited: before",
    gone: "gone",
    "old-name": "old name",
    replacing: "replacing",
    replaced: "replaced",
    "tree/a": "a",
    "tree/sub/b": "b",
    "directory/inner": "inner: before",
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(root, name), content, { mode: 0o640 });
  }
  symlinkSync("a", join(root, "tree/link"));
}
