import type { ToolContext } from "../../contract/context.js";
import type { FileStat } from "../../contract/ports/files.js";
import type { LineRun } from "../../text/line-runs.js";
import { requireText, type PresentFile } from "./layers.js";
import { namedEncoding } from "./note-written.js";
import { createPresentLines, type PresentLines } from "./present-lines.js";

/** A file as it will be once the patches so far are applied. */
export interface DeskFile {
  readonly bytes: Uint8Array;
  readonly lines: PresentLines;
  readonly encoding: string;
  /** The encoding that it was read in, where the reader named one. */
  readonly named?: string | undefined;
  /** What the session knows of it, by the numbers of these lines. */
  readonly known: readonly LineRun[];
  /** As it is on the disk, for a file that no patch has changed yet. */
  readonly present?: PresentFile;
}

/** The files of a diff while it is planned; the disk stays as it is. */
export interface DiffDesk {
  readonly world: Pick<ToolContext, "files" | "seen">;
  /** Whether a file stands there, and how large it is; `null` where none does. */
  stat(path: string): Promise<Pick<FileStat, "type" | "size"> | null>;
  /** Layer 6, and what is known of the file. */
  read(path: string): Promise<DeskFile>;
  put(path: string, file: DeskFile | null): void;
  touched(): readonly string[];
  /** Tell the session what it knows of a file now that all is done. */
  refresh(path: string): Promise<void>;
}

/** Begin with the disk as it is. */
export function createDiffDesk(world: Pick<ToolContext, "files" | "seen">): DiffDesk {
  const changed = new Map<string, { path: string; file: DeskFile | null }>();
  const keyOf = (path: string): string => {
    const verdict = world.files.check(path);
    return verdict.allowed ? verdict.path : path;
  };
  return {
    world,
    async stat(path) {
      const own = changed.get(keyOf(path));
      if (own === undefined) return world.files.stat(path);
      return own.file === null ? null : { type: "file", size: own.file.bytes.length };
    },
    async read(path) {
      const own = changed.get(keyOf(path))?.file;
      return own ?? fromDisk(world, path);
    },
    put: (path, file) => void changed.set(keyOf(path), { path, file }),
    touched: () => [...changed.values()].map(({ path }) => path),
    refresh: (path) => refresh(world, path, changed.get(keyOf(path))?.file ?? null),
  };
}

/** A file with other bytes, of which some lines are known. */
export function toDeskFile(
  bytes: Uint8Array,
  { encoding, named }: Pick<DeskFile, "encoding" | "named">,
  known: readonly LineRun[],
): DeskFile {
  let lines: PresentLines | undefined;
  return {
    bytes,
    encoding,
    named,
    known,
    get lines() {
      return (lines ??= createPresentLines(bytes, encoding));
    },
  };
}

async function fromDisk(world: DiffDesk["world"], path: string): Promise<DeskFile> {
  const stat = await world.files.stat(path);
  if (stat === null) return toDeskFile(new Uint8Array(), { encoding: "utf8" }, []);
  const present = await requireText(world, path, stat);
  const { bytes, encoding } = present;
  return {
    bytes,
    encoding,
    named: present.seen?.encoding,
    known: [],
    present,
    get lines() {
      return present.lines;
    },
  };
}

async function refresh(
  { files, seen }: DiffDesk["world"],
  path: string,
  file: DeskFile | null,
): Promise<void> {
  const stat = file === null ? null : await files.stat(path);
  if (file === null || stat === null) return seen.forget(path);
  const { known, lines, named, bytes } = file;
  const complete = lines.count === 0 || known[0]?.lines.length === lines.count;
  seen.set(path, {
    identity: stat.identity,
    runs: known,
    complete,
    ...(named === undefined ? namedEncoding(bytes, lines.encoding) : { encoding: named }),
  });
}
