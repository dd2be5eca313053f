import { IntList } from "./int-list.js";
import { createNames, type Names } from "./names.js";
import { fileStates } from "./parser.js";
import { packedSize } from "./symbol-pack.js";

/** What identifies the version of a file that was read. */
export interface FileVersion {
  readonly size: number;
  /** When it last changed, in ms: no program can set that. */
  readonly changed: number;
}

export interface IndexedFile extends FileVersion {
  readonly path: string;
  readonly state: number;
  /** When it was read: a change just before that may hide a second one within the resolution of the clock. */
  readonly readAt: number;
  /** Names that may be defined in it, as postings have them; only until it is parsed. */
  readonly possibleNames: Int32Array | undefined;
  /** Packed; only where it was parsed. Files with the same content share them. */
  readonly symbols: Int32Array | undefined;
  /** A hash of what it contains and its language; only where it was scanned in this process. */
  readonly content?: string | undefined;
}

/** A file in which a name may be defined. */
export interface Posting {
  readonly file: number;
  /** A keyword such as `function` precedes it. */
  readonly strong: boolean;
}

/**
 * All that is known of the workspace's files, in memory. A changed file gets a new number and the old one
 * is dropped, so that nothing has to be removed from the lists.
 */
export class IndexTables {
  readonly names: Names = createNames();
  readonly #files: (IndexedFile | undefined)[] = [];
  readonly #byPath = new Map<string, number>();
  readonly #directories = new Map<string, Set<string>>();
  readonly #heads = new IntList(1 << 14);
  readonly #postings = new IntList(1 << 16);
  readonly #nexts = new IntList(1 << 16);
  #parsed = 0;
  /** Incremented with every change. */
  version = 0;

  get fileCount(): number {
    return this.#byPath.size;
  }

  /** Files that are parsed, or cannot be. */
  get parsedCount(): number {
    return this.#parsed;
  }

  file(id: number): IndexedFile | undefined {
    return this.#files[id];
  }

  find(path: string): number | undefined {
    return this.#byPath.get(path);
  }

  paths(): Iterable<string> {
    return this.#byPath.keys();
  }

  /** Ids of the current versions. */
  *liveIds(): Iterable<number> {
    yield* this.#byPath.values();
  }

  /** Names of the files and directories in a directory; `undefined` where the directory is unknown. */
  entries(directory: string): ReadonlySet<string> | undefined {
    return this.#directories.get(directory);
  }

  directories(): Iterable<string> {
    return this.#directories.keys();
  }

  addDirectory(path: string): void {
    if (this.#directories.has(path)) return;
    this.#directories.set(path, new Set());
    if (path === "") return;
    const [parent, name] = splitPath(path);
    this.addDirectory(parent);
    this.#directories.get(parent)?.add(`${name}/`);
  }

  /** Add a version of a file whose content is not known yet. */
  addFile(path: string, { size, changed }: FileVersion): number {
    this.removeFile(path);
    const [directory, name] = splitPath(path);
    this.addDirectory(directory);
    this.#directories.get(directory)?.add(name);
    const id = this.#files.length;
    const unknown = { state: fileStates.gone, readAt: 0, possibleNames: undefined, symbols: undefined };
    this.#files.push({ path, size, changed, ...unknown });
    this.#byPath.set(path, id);
    this.version += 1;
    return id;
  }

  /** Store the names or definitions of a file. */
  setContent(id: number, known: Omit<IndexedFile, "path">): void {
    const file = this.#files[id];
    if (file === undefined) return;
    this.#count(file.state, -1);
    this.#files[id] = { path: file.path, ...known };
    this.#count(known.state, 1);
    this.version += 1;
    if (known.possibleNames !== undefined)
      for (const entry of known.possibleNames) this.#post(entry >> 1, id, entry & 1);
    if (known.symbols === undefined) return;
    const posted = new Set(Array.from(file.possibleNames ?? [], (entry) => entry >> 1));
    for (let at = 0; at < known.symbols.length; at += packedSize) {
      const name = known.symbols[at]!;
      if (posted.has(name)) continue;
      posted.add(name);
      this.#post(name, id, 1);
    }
  }

  removeFile(path: string): void {
    const id = this.#byPath.get(path);
    if (id === undefined) return;
    this.#count(this.#files[id]?.state ?? fileStates.gone, -1);
    this.#files[id] = undefined;
    this.#byPath.delete(path);
    const [directory, name] = splitPath(path);
    this.#directories.get(directory)?.delete(name);
    this.version += 1;
  }

  removeDirectory(path: string): void {
    const entries = this.#directories.get(path);
    if (entries === undefined) return;
    for (const entry of entries) {
      const below = path === "" ? entry : `${path}/${entry}`;
      if (entry.endsWith("/")) this.removeDirectory(below.slice(0, -1));
      else this.removeFile(below);
    }
    this.#directories.delete(path);
    const [parent, name] = splitPath(path);
    this.#directories.get(parent)?.delete(`${name}/`);
  }

  /** Current files that may define a name; a file can occur twice. */
  *postings(name: number): Iterable<Posting> {
    if (name >= this.#heads.length) return;
    for (let at = this.#heads.at(name); at !== -1; at = this.#nexts.at(at)) {
      const posting = this.#postings.at(at);
      const file = posting >> 1;
      if (this.#files[file] !== undefined) yield { file, strong: (posting & 1) === 1 };
    }
  }

  #post(name: number, file: number, strong: number): void {
    while (this.#heads.length <= name) this.#heads.push(-1);
    this.#postings.push(file * 2 + strong);
    this.#nexts.push(this.#heads.at(name));
    this.#heads.set(name, this.#postings.length - 1);
  }

  #count(state: number, by: number): void {
    if (state !== fileStates.gone && state !== fileStates.scanned) this.#parsed += by;
  }
}

function splitPath(path: string): [directory: string, name: string] {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? ["", path] : [path.slice(0, slash), path.slice(slash + 1)];
}
