import { hash } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";
import { defaultStateDir } from "../config/folders.js";
import { makeFolder } from "../contract/make-folder.js";

/** The parts of the process that this uses. */
export interface CompilingProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  getuid?(): number;
  once(event: "exit", listener: () => void): unknown;
}

/**
 * Load the command line with what V8 compiled in an earlier run: Node 20 has no cache of its own, and compiling takes a third of a
 * short command. V8 refuses what another version or other flags compiled; the rest is checked here.
 */
export function loadCompiled(process: CompilingProcess, entry: string): unknown {
  const state = stateFolder(process.env);
  // A first run leaves nothing behind that was not asked for.
  if (state === undefined || !existsSync(state)) return createRequire(entry)(entry);
  const file = join(state, "compiled", `${hash("sha256", entry).slice(0, 32)}.bin`);
  const known = readCompiled(file, entry, process.getuid?.());
  const loader = createLoader(dirname(entry), known);
  process.once("exit", () => {
    const fresh = loader.toSave();
    if (fresh !== undefined) writeCompiled(file, entry, fresh);
  });
  return loader.load(entry);
}

function stateFolder(env: CompilingProcess["env"]): string | undefined {
  try {
    return env["TENON_STATE_DIR"] || defaultStateDir(env, homedir());
  } catch {
    return undefined; // a user without a home, which the command line reports
  }
}

type Compiled = ReadonlyMap<string, Buffer>;

interface Loader {
  load(file: string): unknown;
  /** What this run knows, if it is more than what was known before. */
  toSave(): Compiled | undefined;
}

/** Loads files of the package by `require`, but with V8's code where it is known; other modules are loaded as always. */
function createLoader(root: string, known: Compiled): Loader {
  const compiled = new Map<string, Script>();
  const cache = createRequire(join(root, "_")).cache;
  const load = (file: string): unknown => {
    const loaded = cache[file];
    if (loaded !== undefined) return loaded.exports;
    const name = relative(root, file);
    const cachedData = known.get(name);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "utf8")}\n})`,
      {
        filename: file,
        ...(cachedData !== undefined && { cachedData }),
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      },
    );
    if (cachedData === undefined || script.cachedDataRejected === true) compiled.set(name, script);
    return run(file, script);
  };
  const run = (file: string, script: Script): unknown => {
    const module = new Module(file);
    module.filename = file;
    // A configuration that imports "tenon" gets the same classes.
    cache[file] = module;
    const [folder, native] = [dirname(file), createRequire(file)];
    const requireChunk = (id: string): unknown => (id.startsWith(".") ? load(join(folder, id)) : native(id));
    const wrapper = script.runInThisContext() as (...values: unknown[]) => void;
    wrapper.call(module.exports, module.exports, requireChunk, module, file, folder);
    module.loaded = true;
    return module.exports;
  };
  const toSave = (): Compiled | undefined => {
    if (compiled.size === 0) return undefined;
    const fresh = [...compiled].map(([name, script]) => [name, script.createCachedData()] as const);
    return new Map([...known, ...fresh]);
  };
  return { load, toSave };
}

interface Header {
  readonly build: string;
  readonly checksum: number;
  readonly parts: readonly (readonly [name: string, bytes: number])[];
}

/** Nothing where there is none yet, or where it is from another build, damaged, or not this user's own. */
function readCompiled(file: string, entry: string, uid: number | undefined): Compiled {
  const bytes = readOwn(file, uid);
  if (bytes === undefined) return new Map();
  const start = bytes.indexOf(10) + 1;
  const { build, checksum, parts } = toHeader(bytes.toString("utf8", 0, start));
  const body = bytes.subarray(start);
  if (build !== buildOf(entry) || checksum !== crc32(body)) return new Map();
  let at = 0;
  return new Map(parts.map(([name, length]) => [name, body.subarray(at, (at += length))]));
}

function readOwn(file: string, uid: number | undefined): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch {
    return undefined; // the first run of this build
  }
  try {
    const { uid: owner, mode } = fstatSync(fd);
    const isOwn = uid === undefined || (owner === uid && (mode & 0o022) === 0);
    return isOwn ? readFileSync(fd) : undefined;
  } finally {
    closeSync(fd);
  }
}

function toHeader(text: string): Header {
  try {
    return JSON.parse(text) as Header;
  } catch {
    return { build: "", checksum: 0, parts: [] };
  }
}

/** The names of chunks have a hash of their content, and the entry has the names. */
function buildOf(entry: string): string {
  return hash("sha256", readFileSync(entry));
}

function writeCompiled(file: string, entry: string, compiled: Compiled): void {
  const body = Buffer.concat([...compiled.values()]);
  const parts = [...compiled].map(([name, data]) => [name, data.length] as const);
  const header: Header = { build: buildOf(entry), checksum: crc32(body), parts };
  const draft = `${file}.${process.pid}`;
  try {
    makeFolder(dirname(file), 0o700);
    writeFileSync(draft, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // A state that cannot be written costs some milliseconds at the next start; the command itself says what is wrong.
  }
}
