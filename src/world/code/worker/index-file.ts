import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { languages } from "../../../syntax/languages/index.js";
import type { IndexTables } from "./index-tables.js";
import { IntList } from "./int-list.js";
import type { Names } from "./names.js";
import { fileStates } from "./parser.js";
import { packedSize, renumberNames, renumberSymbols } from "./symbol-pack.js";
import { makeFolder } from "../../../contract/make-folder.js";

const magic = Buffer.from("TENONIDX");
/** Version of the layout; other versions are not read. */
const layout = 1;
const checksumLength = 32;
/** A larger file was not written by this code. */
const maxBytes = 1024 * 1024 * 1024;

/** The JSON header of the file. */
interface Header {
  readonly layout: number;
  readonly syntax: string;
  readonly root: string;
  readonly byteOrder: number;
  readonly files: number;
  /** Bytes of each part, in their order. */
  readonly parts: readonly number[];
}

/** The file that stores the index of a workspace between processes. A damaged or unknown file counts as none. */
export interface IndexFile {
  /** Fill empty tables; `false` where there is nothing that can be trusted. */
  load(tables: IndexTables): boolean;
  save(tables: IndexTables): void;
}

/** The index of the workspace `root` in a file. */
export function openIndexFile(file: string, root: string): IndexFile {
  return {
    load(tables) {
      try {
        const parts = readParts(readFileSync(file), root);
        return parts !== undefined && fillTables(tables, parts);
      } catch {
        return false; // none yet, or not readable: it is built again
      }
    },
    save(tables) {
      const temporary = `${file}.${process.pid}.tmp`;
      try {
        makeFolder(path.dirname(file), 0o700);
        writeFileSync(temporary, serializeTables(tables, root), { mode: 0o600, flag: "wx" });
        renameSync(temporary, file);
      } catch {
        rmSync(temporary, { force: true }); // the index lives on in memory
      }
    },
  };
}

/** A hash of what the definitions depend on: the queries and the version of the grammars. */
function syntaxVersion(): string {
  const hash = createHash("sha256");
  for (const [name, { grammar, query }] of languages) hash.update(`${name}\0${grammar}\0${query}\0`);
  const own = createRequire(import.meta.url);
  try {
    const { version } = own("@vscode/tree-sitter-wasm/package.json") as { version: string };
    hash.update(version);
  } catch {
    hash.update("no grammars");
  }
  return hash.digest("hex").slice(0, 16);
}

interface IndexParts {
  readonly names: Buffer;
  readonly paths: Buffer;
  /** For each file: size, time of its last change, when it was read. */
  readonly versions: Float64Array;
  /** For each file: its state, and how many numbers it has. */
  readonly states: Int32Array;
  /** Of parsed files their symbols, of others the names that may be defined in them. */
  readonly numbers: Int32Array;
}

function serializeTables(tables: IndexTables, root: string): Buffer {
  const ids = [...tables.liveIds()].filter((id) => tables.file(id)?.state !== fileStates.gone);
  // Names that no file needs any more are left behind.
  const renumbered = new Map<number, number>();
  const names: number[] = [];
  const nameOf = (id: number): number => {
    let fresh = renumbered.get(id);
    if (fresh === undefined) {
      renumbered.set(id, (fresh = names.length));
      names.push(id);
    }
    return fresh;
  };
  const versions = new Float64Array(ids.length * 3);
  const states = new Int32Array(ids.length * 2);
  const numbers = new IntList(1 << 16);
  const paths: string[] = [];
  for (const [at, id] of ids.entries()) {
    const file = tables.file(id)!;
    paths.push(file.path);
    versions.set([file.size, file.changed, file.readAt], at * 3);
    const before = numbers.length;
    if (file.symbols !== undefined) {
      for (let from = 0; from < file.symbols.length; from += packedSize) {
        const [name = 0, kind = 0, line = 0, column = 0, container = -1] = file.symbols.subarray(
          from,
          from + packedSize,
        );
        for (const number of [nameOf(name), kind, line, column, container === -1 ? -1 : nameOf(container)]) {
          numbers.push(number);
        }
      }
    } else for (const entry of file.possibleNames ?? []) numbers.push(nameOf(entry >> 1) * 2 + (entry & 1));
    states.set([file.state, numbers.length - before], at * 2);
  }
  const parts = [
    toLines(tables.names, names),
    Buffer.from(paths.join("\0")),
    asBytes(versions),
    asBytes(states),
    asBytes(numbers.view()),
  ];
  return joinParts(root, ids.length, parts);
}

function toLines(names: Names, ids: readonly number[]): Buffer {
  const separator = Buffer.from("\n");
  return Buffer.concat(
    ids.flatMap((id, at) => (at === 0 ? [names.bytes(id)] : [separator, names.bytes(id)])),
  );
}

function joinParts(root: string, files: number, parts: readonly Buffer[]): Buffer {
  const header: Header = {
    layout,
    syntax: syntaxVersion(),
    root,
    byteOrder: byteOrder(),
    files,
    parts: parts.map((part) => part.length),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const hash = createHash("sha256").update(length).update(text);
  for (const part of parts) hash.update(part);
  return Buffer.concat([magic, hash.digest(), length, text, ...parts]);
}

function readParts(bytes: Buffer, root: string): IndexParts | undefined {
  const start = magic.length + checksumLength;
  if (bytes.length < start + 4 || bytes.length > maxBytes || !bytes.subarray(0, magic.length).equals(magic))
    return undefined;
  const body = bytes.subarray(start);
  const checksum = createHash("sha256").update(body).digest();
  if (!checksum.equals(bytes.subarray(magic.length, start))) return undefined;
  const headerEnd = 4 + body.readUInt32LE(0);
  const header = JSON.parse(body.toString("utf8", 4, headerEnd)) as Header;
  if (header.layout !== layout || header.syntax !== syntaxVersion()) return undefined;
  if (header.root !== root || header.byteOrder !== byteOrder()) return undefined;
  let at = headerEnd;
  const parts = header.parts.map((length) => body.subarray(at, (at += length)));
  const [names, paths, versions, states, numbers] = parts;
  if (names === undefined || paths === undefined || versions === undefined) return undefined;
  if (states === undefined || numbers === undefined || at !== body.length) return undefined;
  return {
    names,
    paths,
    versions: new Float64Array(copyBuffer(versions)),
    states: new Int32Array(copyBuffer(states)),
    numbers: new Int32Array(copyBuffer(numbers)),
  };
}

function fillTables(tables: IndexTables, { names, paths, versions, states, numbers }: IndexParts): boolean {
  const ids = tables.names.addLines(names);
  let from = 0;
  for (const [at, file] of paths.length === 0 ? [] : paths.toString("utf8").split("\0").entries()) {
    const [size, changed, readAt] = [versions[at * 3]!, versions[at * 3 + 1]!, versions[at * 3 + 2]!];
    const [state, count] = [states[at * 2]!, states[at * 2 + 1]!];
    const own = numbers.subarray(from, from + count);
    from += count;
    const id = tables.addFile(file, { size, changed });
    const symbols = state === fileStates.parsed ? renumberSymbols(own, ids) : undefined;
    const possibleNames = state === fileStates.scanned ? renumberNames(own, ids) : undefined;
    tables.setContent(id, { state, size, changed, readAt, possibleNames, symbols });
  }
  return true;
}

function asBytes(values: Float64Array | Int32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

/** Typed arrays must be aligned to their element size. */
function copyBuffer(bytes: Buffer): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function byteOrder(): number {
  return new Uint8Array(Uint16Array.of(1).buffer)[0]!;
}
