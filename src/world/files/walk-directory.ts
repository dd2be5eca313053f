import { type Dir, type Dirent, lstatSync, opendirSync, readdirSync } from "node:fs";
import type { EntryType } from "../../contract/ports/files.js";
import { entryTypeOf } from "./file-stat.js";
import type { IgnoreNames } from "./ignore/ignore-chain.js";
import type { Handle } from "./opener.js";
import { showName } from "./path-text.js";

export interface ScannedEntry {
  /** As on the disk: bytes where the name is not valid UTF-8. */
  readonly name: string | Buffer;
  /** As it is displayed: always on one line. */
  readonly shown: string;
  readonly type: EntryType;
}

/** The entries of a directory, some at a time where it is large. */
export interface DirectoryReader {
  readonly names: IgnoreNames;
  /** The next entries; `undefined` when there are no more. */
  next(): readonly ScannedEntry[] | undefined;
  close(): void;
}

/** A directory of this size has ten thousand entries or more: too many to read without a pause. */
const LARGE_DIRECTORY_BYTES = 512 * 1024;
const CHUNK_ENTRIES = 1024;

/** Read an open directory: small ones at once and sorted by name, large ones in chunks. */
export function readDirectory(handle: Handle): DirectoryReader {
  if (handle.stat.size > LARGE_DIRECTORY_BYTES) return readInChunks(handle);
  let entries: readonly ScannedEntry[] | undefined = readWhole(handle);
  const names = { git: hasEntry(entries, ".git"), gitignore: hasEntry(entries, ".gitignore") };
  return {
    names,
    next() {
      const all = entries;
      entries = undefined;
      return all;
    },
    close: () => undefined,
  };
}

/** A path that leads to an entry of an open directory, through the descriptor of that directory. */
export function entryAt(handle: Handle, name: string | Buffer): string | Buffer {
  return typeof name === "string" ? handle.at(name) : handle.at(name);
}

function readWhole(handle: Handle): ScannedEntry[] {
  const entries = readdirSync(handle.self, { withFileTypes: true });
  // A replacement character stands for invalid UTF-8 or for itself: only the bytes tell.
  if (entries.some((entry) => entry.name.includes("\uFFFD"))) return readWholeAsBytes(handle);
  return entries.map((entry) => ({
    name: entry.name,
    shown: plainName(entry.name),
    type: entryTypeOf(entry),
  }));
}

function readWholeAsBytes(handle: Handle): ScannedEntry[] {
  // Node's types know only text names here.
  const options = { withFileTypes: true, encoding: "buffer" as BufferEncoding } as const;
  return readdirSync(handle.self, options).map((entry) => toScannedEntry(entry));
}

function readInChunks(handle: Handle): DirectoryReader {
  const directory: Dir = opendirSync(handle.self, {
    encoding: "buffer" as BufferEncoding,
    bufferSize: CHUNK_ENTRIES,
  });
  let open = true;
  const close = (): void => {
    if (open) directory.closeSync();
    open = false;
  };
  return {
    names: { git: entryExists(handle, ".git"), gitignore: entryExists(handle, ".gitignore") },
    next() {
      const found: ScannedEntry[] = [];
      for (let entry = open ? directory.readSync() : null; entry !== null; entry = directory.readSync()) {
        found.push(toScannedEntry(entry));
        if (found.length === CHUNK_ENTRIES) return found;
      }
      close();
      return found.length === 0 ? undefined : found;
    },
    close,
  };
}

function toScannedEntry(entry: Dirent): ScannedEntry {
  const bytes = entry.name as unknown as Buffer;
  const shown = showName(bytes);
  const text = bytes.toString("utf8");
  return { name: text.includes("\uFFFD") ? bytes : text, shown, type: entryTypeOf(entry) };
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

function plainName(name: string): string {
  return CONTROL.test(name) ? showName(Buffer.from(name)) : name;
}

function hasEntry(entries: readonly ScannedEntry[], name: string): boolean {
  return entries.some((entry) => entry.name === name);
}

function entryExists(handle: Handle, name: string): boolean {
  return lstatSync(handle.at(name), { throwIfNoEntry: false }) !== undefined;
}
