import type { ToolContext } from "../../contract/context.js";
import type { FileStat } from "../../contract/ports/files.js";
import { decodeText } from "../../text/decode-text.js";
import { looksBinary } from "../../text/is-binary.js";
import { nothingKnown, type KnownLines } from "./known-lines.js";
import { requireText, type PresentFile } from "./layers.js";
import { namedEncoding } from "./note-written.js";
import { createPresentLines, type PresentLines } from "./present-lines.js";

/** A file with the patches so far applied. */
export interface StagedFile {
  readonly bytes: Uint8Array;
  readonly lines: PresentLines;
  readonly encoding: string;
  /** The encoding that the caller named when reading it, if any. */
  readonly named?: string | undefined;
  /** The lines that the session knows, by their numbers in `lines`. */
  readonly known: KnownLines;
  /** The file on disk, if no patch has changed it yet. */
  readonly present?: PresentFile;
}

/** The files of a diff while it is planned; nothing is written to disk. */
export interface DiffStage {
  readonly deps: Pick<ToolContext, "files" | "seen">;
  /** The type and size of a file; `null` if it does not exist. */
  stat(path: string): Promise<Pick<FileStat, "type" | "size"> | null>;
  /** Layer 6, and what the session knows about the file. */
  read(path: string): Promise<StagedFile>;
  /** Whether a patch has changed the file already. */
  isStaged(path: string): boolean;
  /** The text of a file, to show it; `undefined` if it is large or binary. */
  textOf(path: string): Promise<string | undefined>;
  put(path: string, file: StagedFile | null): void;
  touched(): readonly string[];
  /** Update which lines of a file the session knows, after the diff was applied. */
  refresh(path: string): Promise<void>;
}

/** Start with the files on disk. */
export function createDiffStage(deps: Pick<ToolContext, "files" | "seen">): DiffStage {
  const changed = new Map<string, { path: string; file: StagedFile | null }>();
  const keyOf = (path: string): string => {
    const verdict = deps.files.check(path);
    return verdict.allowed ? verdict.path : path;
  };
  return {
    deps,
    async stat(path) {
      const own = changed.get(keyOf(path));
      if (own === undefined) return deps.files.stat(path);
      return own.file === null ? null : { type: "file", size: own.file.bytes.length };
    },
    async read(path) {
      const own = changed.get(keyOf(path));
      return own === undefined ? fromDisk(deps, path) : (own.file ?? emptyFile());
    },
    isStaged: (path) => changed.has(keyOf(path)),
    async textOf(path) {
      const own = changed.get(keyOf(path))?.file;
      const size = own?.bytes.length ?? (await deps.files.stat(path))?.size ?? 0;
      if (size > maxShownBytes) return undefined;
      const bytes = own?.bytes ?? (await deps.files.read(path));
      return looksBinary(bytes) ? undefined : decodeText(bytes, own?.encoding).text;
    },
    put: (path, file) => void changed.set(keyOf(path), { path, file }),
    touched: () => [...changed.values()].map(({ path }) => path),
    refresh: (path) => refresh(deps, path, changed.get(keyOf(path))?.file ?? null),
  };
}

/** A larger file is not shown in a diff that deletes it. */
const maxShownBytes = 1 << 20;

/** A file with new bytes, and the lines of it that the session knows. */
export function toStagedFile(
  bytes: Uint8Array,
  { encoding, named }: Pick<StagedFile, "encoding" | "named">,
  known: KnownLines,
): StagedFile {
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

function emptyFile(): StagedFile {
  return toStagedFile(new Uint8Array(), { encoding: "utf8" }, nothingKnown);
}

async function fromDisk(deps: DiffStage["deps"], path: string): Promise<StagedFile> {
  const stat = await deps.files.stat(path);
  if (stat === null) return emptyFile();
  const present = await requireText(deps, path);
  const { bytes, encoding } = present;
  return {
    bytes,
    encoding,
    named: present.seen?.encoding,
    known: nothingKnown,
    present,
    get lines() {
      return present.lines;
    },
  };
}

async function refresh(
  { files, seen }: DiffStage["deps"],
  path: string,
  file: StagedFile | null,
): Promise<void> {
  const stat = file === null ? null : await files.stat(path);
  if (file === null || stat === null) return seen.forget(path);
  const { known, lines, named, bytes } = file;
  const { runs, parts } = known;
  // The lines are counted only if all of them may be known.
  const complete = runs.length <= 1 && (runs[0]?.lines.length ?? 0) === lines.count;
  seen.set(path, {
    identity: stat.identity,
    runs,
    parts,
    complete,
    ...(named === undefined ? namedEncoding(bytes, lines.encoding) : { encoding: named }),
  });
}
