import { isAscii } from "node:buffer";
import { hash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import Module, { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { constants, Script } from "node:vm";
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
  const known = openCompiled(file, entry, process.getuid?.());
  const loader = createLoader(entry, known);
  process.once("exit", () => {
    const fresh = loader.toSave();
    if (fresh !== undefined) writeCompiled(file, entry, fresh);
    known.close();
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

/** What earlier runs compiled. Other commands load other chunks, so only the parts that this one loads are read. */
interface KnownCode {
  readonly names: readonly string[];
  read(name: string): Buffer | undefined;
  close(): void;
}

interface Loader {
  load(file: string): unknown;
  /** What this run knows, if it is more than what was known before. */
  toSave(): Compiled | undefined;
}

/** Loads files of the package by `require`, but with V8's code where it is known; other modules are loaded as always. */
function createLoader(entry: string, known: KnownCode): Loader {
  const compiled = new Map<string, Script>();
  const root = dirname(entry);
  const native = createRequire(entry);
  const { cache } = native;
  const load = (file: string): unknown => {
    const loaded = cache[file];
    if (loaded !== undefined) return loaded.exports;
    const name = file.slice(root.length + 1);
    const cachedData = known.read(name);
    const script = new Script(moduleFunction(readText(file)), {
      filename: file,
      ...(cachedData !== undefined && { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (cachedData === undefined || script.cachedDataRejected === true) compiled.set(name, script);
    return run(file, script);
  };
  const run = (file: string, script: Script): unknown => {
    const module = new Module(file);
    module.filename = file;
    // A configuration that imports "tenon" gets the same classes.
    cache[file] = module;
    const folder = dirname(file);
    const requireChunk = (id: string): unknown => (id.startsWith(".") ? load(join(folder, id)) : native(id));
    const wrapper = script.runInThisContext() as (...values: unknown[]) => void;
    wrapper.call(module.exports, module.exports, requireChunk, module, file, folder);
    module.loaded = true;
    return module.exports;
  };
  const toSave = (): Compiled | undefined => {
    if (compiled.size === 0) return undefined;
    const earlier = known.names.filter((name) => !compiled.has(name)).map((name) => [name, known.read(name)]);
    const fresh = [...compiled].map(([name, script]) => [name, script.createCachedData()]);
    return new Map([...earlier, ...fresh].filter((part): part is [string, Buffer] => part[1] !== undefined));
  };
  return { load, toSave };
}

/** ASCII is copied at once, other text is decoded piece by piece. */
function readText(file: string): string {
  const bytes = readFileSync(file);
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

/** Large modules are this function already (scripts/pack-chunks.mjs): V8 would copy a text that is added to. */
function moduleFunction(text: string): string {
  if (text.startsWith("(typeof module")) return text;
  return `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
}

interface Header {
  readonly build: string;
  readonly parts: readonly (readonly [name: string, bytes: number, checksum: string])[];
}

const nothing: KnownCode = { names: [], read: () => undefined, close: () => {} };

/** Nothing where there is none yet, or where it is from another build, damaged, or not this user's own. */
function openCompiled(file: string, entry: string, uid: number | undefined): KnownCode {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch {
    return nothing; // the first run of this build
  }
  const { uid: owner, mode } = fstatSync(fd);
  const isOwn = uid === undefined || (owner === uid && (mode & 0o022) === 0);
  const { header, end } = isOwn ? readHeader(fd) : noHeader;
  if (header.build === buildOf(entry)) return readParts(fd, header.parts, end);
  closeSync(fd);
  return nothing;
}

function readParts(fd: number, parts: Header["parts"], start: number): KnownCode {
  const places = new Map<
    string,
    { readonly at: number; readonly bytes: number; readonly checksum: string }
  >();
  let at = start;
  for (const [name, bytes, checksum] of parts) {
    places.set(name, { at, bytes, checksum });
    at += bytes;
  }
  const read = (name: string): Buffer | undefined => {
    const place = places.get(name);
    if (place === undefined) return undefined;
    const data = Buffer.allocUnsafeSlow(place.bytes);
    return readSync(fd, data, 0, place.bytes, place.at) === place.bytes && checksumOf(data) === place.checksum
      ? data
      : undefined;
  };
  return { names: [...places.keys()], read, close: () => closeSync(fd) };
}

const noHeader = { header: { build: "", parts: [] } as Header, end: 0 };

/** The first line. */
function readHeader(fd: number): typeof noHeader {
  const bytes = Buffer.allocUnsafe(maxHeaderBytes);
  const text = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  const end = text.indexOf(10) + 1;
  try {
    return { header: JSON.parse(text.toString("utf8", 0, end)) as Header, end };
  } catch {
    return noHeader;
  }
}

/** V8 does not look whether its code is damaged. SHA-256 is loaded anyway, a shorter sum would load another module of Node.js. */
function checksumOf(data: Buffer): string {
  return hash("sha256", data);
}

/** There are about a hundred chunks, with names of less than a hundred letters. */
const maxHeaderBytes = 64 * 1024;

/** The names of chunks have a hash of their content, and the entry has the names. */
function buildOf(entry: string): string {
  return hash("sha256", readFileSync(entry));
}

function writeCompiled(file: string, entry: string, compiled: Compiled): void {
  const parts = [...compiled].map(([name, data]) => [name, data.length, checksumOf(data)] as const);
  const header: Header = { build: buildOf(entry), parts };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  if (line.length > maxHeaderBytes) return;
  const draft = `${file}.${process.pid}`;
  try {
    makeFolder(dirname(file), 0o700);
    writeFileSync(draft, Buffer.concat([line, ...compiled.values()]), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // A state that cannot be written costs some milliseconds at the next start; the command itself says what is wrong.
  }
}
