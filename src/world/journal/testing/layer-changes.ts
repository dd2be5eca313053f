import { chmodSync, linkSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AdoptedEntry, Adoption } from "../plan-adoptions.js";

/** A workspace and, beside it, what a command put into its layer: every kind of change. */
export function plantLayer(base: string): void {
  const ws = join(base, "ws");
  const upper = join(base, "layer");
  for (const dir of ["ws", "layer"]) {
    rmSync(join(base, dir), { recursive: true, force: true });
    mkdirSync(join(base, dir), { recursive: true });
  }
  writeFileSync(join(ws, "changed"), "before\n", { mode: 0o640 });
  writeFileSync(join(ws, "gone"), "gone\n");
  mkdirSync(join(ws, "gone-tree/deep"), { recursive: true });
  writeFileSync(join(ws, "gone-tree/deep/file"), "deep\n", { mode: 0o600 });
  symlinkSync("deep/file", join(ws, "gone-tree/link"));
  mkdirSync(join(ws, "replaced-tree"));
  writeFileSync(join(ws, "replaced-tree/old"), "old\n");
  writeFileSync(join(ws, "file-to-dir"), "file\n");
  mkdirSync(join(ws, "dir-to-file"));
  writeFileSync(join(ws, "dir-to-file/inner"), "inner\n");
  symlinkSync("changed", join(ws, "link"));
  mkdirSync(join(ws, "mode"));
  chmodSync(join(ws, "mode"), 0o755);

  writeFileSync(join(upper, "changed"), "after\n");
  chmodSync(join(upper, "changed"), 0o755);
  mkdirSync(join(upper, "new-tree/deep"), { recursive: true });
  writeFileSync(join(upper, "new-tree/deep/file"), "new\n", { mode: 0o400 });
  linkSync(join(upper, "new-tree/deep/file"), join(upper, "new-tree/second"));
  symlinkSync("/nowhere", join(upper, "new-tree/link"));
  writeFileSync(Buffer.from(`${upper}/new-tree/\xff\xfe`, "latin1"), "not UTF-8");
  writeFileSync(join(upper, "new-file"), "new file\n");
  mkdirSync(join(upper, "replaced-tree"));
  writeFileSync(join(upper, "replaced-tree/new"), "new\n");
  mkdirSync(join(upper, "file-to-dir"));
  writeFileSync(join(upper, "file-to-dir/inner"), "inner\n");
  writeFileSync(join(upper, "dir-to-file"), "now a file\n");
  symlinkSync("new-file", join(upper, "link"));
}

export function adoptedEntry(place: string): AdoptedEntry | null {
  const stat = lstatSync(place, { throwIfNoEntry: false, bigint: true });
  if (stat === undefined) return null;
  const { dev, ino, mtimeNs } = stat;
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "link";
  return { kind, dev, ino, mtimeNs, mode: Number(stat.mode) & 0o7777, size: Number(stat.size) };
}

export function adoptedSource(path: string): Adoption["from"] {
  const entry = adoptedEntry(path);
  return entry === null ? undefined : { ...entry, path };
}

/** The adoptions that commit it, on the disk as it is now. */
export function layerAdoptions(base: string): Adoption[] {
  const adopt = (path: string, op: Adoption["op"], rest: Partial<Adoption> = {}): Adoption => ({
    path: join(base, "ws", path),
    text: path,
    op,
    before: adoptedEntry(join(base, "ws", path)),
    bulk: false,
    ...(op !== "delete" && op !== "mode" && { from: adoptedSource(join(base, "layer", path)) }),
    ...rest,
  });
  return [
    adopt("changed", "write"),
    adopt("gone", "delete"),
    adopt("gone-tree", "delete"),
    adopt("new-tree", "create"),
    adopt("new-file", "create"),
    adopt("replaced-tree", "write", { bulk: true }),
    adopt("file-to-dir", "write"),
    adopt("dir-to-file", "write"),
    adopt("link", "write"),
    adopt("mode", "mode", { mode: 0o700 }),
  ];
}
