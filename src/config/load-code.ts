import { realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { ConfigError, printable } from "./config-error.js";
import { readConfigFile, type ConfigFile } from "./read-file.js";

/** Run a configuration written in code and take its default export. Only for files that are trusted. */
export async function loadCode(source: ConfigFile): Promise<unknown> {
  let exported: unknown;
  try {
    exported = source.format === "ts" ? await runTypeScript(source) : await runModule(source);
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    const message = `it failed to run: ${printable(reason, 1000)}`;
    throw new ConfigError([{ file: source.file, path: "", message }], { cause: error });
  }
  await refuseIfChanged(source);
  return defaultOf(exported);
}

/** The very text whose digest was judged is run; caches on the disk would be a way around it. */
async function runTypeScript(source: ConfigFile): Promise<unknown> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(source.file, { fsCache: false, moduleCache: false, interopDefault: false });
  return jiti.evalModule(source.text, { filename: source.file, async: true, forceTranspile: true });
}

/** Modules cannot be unloaded: the digest in the address makes a changed file another module. */
async function runModule(source: ConfigFile): Promise<unknown> {
  const address = `${pathToFileURL(source.file).href}?digest=${source.digest}`;
  // CommonJS has a cache of its own, by file name.
  delete createRequire(import.meta.url).cache[await realpath(source.file)];
  try {
    return await import(/* @vite-ignore */ address);
  } catch (error) {
    // Whether .js is ESM hangs on a package.json that a workspace may not have; nothing ran yet.
    if (error instanceof SyntaxError && source.file.endsWith(".js")) return runTypeScript(source);
    throw error;
  }
}

async function refuseIfChanged(source: ConfigFile): Promise<void> {
  const now = await readConfigFile(source.file);
  if (now.digest === source.digest) return;
  throw new ConfigError([
    { file: source.file, path: "", message: "it changed while it was being read; try again" },
  ]);
}

/** CommonJS seen from ESM has its exports under `default`, sometimes twice. */
function defaultOf(exported: unknown): unknown {
  if (typeof exported !== "object" || exported === null || !("default" in exported)) return undefined;
  const { default: outer } = exported;
  if (typeof outer === "object" && outer !== null && "__esModule" in outer && "default" in outer) {
    return outer.default;
  }
  return outer;
}
