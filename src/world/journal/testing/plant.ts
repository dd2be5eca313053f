import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file of which only the difference is kept. */
export const large = "a line of a large file\n".repeat(20_000);

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
    large,
    "large-too": large,
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(root, name), content, { mode: 0o640 });
  }
  symlinkSync("a", join(root, "tree/link"));
}
