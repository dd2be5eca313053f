import { mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const packages = resolve(import.meta.dirname, "../../node_modules");

/**
 * Bundle a program of a test that Node 20 can run, in a folder from which it finds the project's packages.
 * @param external Which imports stay as they are: all packages unless told.
 */
export async function buildProgram(
  input: string,
  external: (id: string) => boolean = (id) => !/^[./]/.test(id),
): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-program-")));
  symlinkSync(packages, join(folder, "node_modules"));
  const file = join(folder, "program.mjs");
  const bundle = await rolldown({ input, platform: "node", logLevel: "silent", external });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  return file;
}
