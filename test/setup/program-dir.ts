import { mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const packages = resolve(import.meta.dirname, "../../node_modules");

/** A temporary folder for programs that tests build: they find the project's packages from there. */
export function makeProgramDir(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `tenon-${name}-`)));
  symlinkSync(packages, join(folder, "node_modules"));
  return folder;
}
