import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { errnoOf } from "../../contract/errno.js";
import type { BlobStore } from "../../contract/ports/blobs.js";
import type { RenamedNode } from "../../contract/ports/journal.js";
import { movedOrReplaced, openPath } from "./open-path.js";
import type { PlannedStep } from "./plan.js";
import { digestSource, type SourceDeps } from "./sources.js";

/** Larger files are recognized by their inode, size and time alone. */
export const maxHashedBytes = 1 << 23;
/** Contents of so many small files are kept for a while, to merge what others change later. */
const maxTexts = 200;
const maxTextBytes = 1 << 18;
const maxPackBytes = 1 << 23;

/** The contents of files that a command changed, kept as one blob: a file for each of them takes longer than the commit. */
export interface TextPack {
  /** The hash of a file, whose content is added if it is small enough. */
  add(deps: SourceDeps, file: PackedFile): Promise<Pick<RenamedNode, "hash" | "offset">>;
  /** The steps with what refers to the contents. */
  attach(planned: readonly PlannedStep[]): readonly PlannedStep[];
  /** Store the contents. */
  store(blobs: BlobStore): Promise<void>;
}

/** A file as it was seen. */
export interface PackedFile {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: number;
  /** If it was read before. */
  readonly content?: Uint8Array | undefined;
}

export function createTextPack(): TextPack {
  const texts: Uint8Array[] = [];
  let bytes = 0;
  let packed: Uint8Array | undefined;
  return {
    async add(deps, file) {
      const { path: real, size } = file;
      if (size > maxHashedBytes) return {};
      if (size > maxTextBytes) return digestSource(deps, { kind: "disk", real }).then(hashOnly, unreadable);
      const content = file.content ?? (size === 0 ? new Uint8Array() : readSmall(deps, file));
      if (content === undefined) return {};
      const own = { hash: hash("sha256", content) };
      if (texts.length >= maxTexts || bytes + content.length > maxPackBytes) return own;
      const offset = bytes;
      texts.push(content);
      bytes += content.length;
      return { ...own, offset };
    },
    attach(planned) {
      if (texts.length === 0) return planned;
      packed = Buffer.concat(texts.splice(0));
      const pack = hash("sha256", packed);
      return planned.map((each) => {
        const { change } = each;
        if (change.step.kind !== "rename" || change.step.node.offset === undefined) return each;
        const { node } = change.step;
        const step = { ...change.step, node: { ...node, pack } };
        return { ...each, change: { ...change, step, blobs: [{ hash: pack, size: node.size }] } };
      });
    },
    async store(blobs) {
      if (packed !== undefined) await blobs.put(packed, { durable: false });
    },
  };
}

function hashOnly({ hash: own }: { readonly hash: string }): Pick<RenamedNode, "hash"> {
  return { hash: own };
}

/** A file that its owner may not read can be renamed all the same. */
function unreadable(error: unknown): Record<string, never> {
  if (errnoOf(error) !== "EACCES") throw error;
  return {};
}

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The content of a regular file; `undefined` if its owner may not read it. */
function readSmall({ opener }: SourceDeps, { path, dev, ino, size }: PackedFile): Uint8Array | undefined {
  const opened = openPath(opener, path);
  try {
    const fd = openSync(opened.at, readFlags);
    try {
      const found = fstatSync(fd, { bigint: true });
      if (found.ino !== ino || found.dev !== dev || found.size !== BigInt(size))
        throw movedOrReplaced("ESTALE");
      return readWhole(fd, size);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    unreadable(error);
    return undefined;
  } finally {
    opened.directory.close();
  }
}

/** The first bytes of an open file, as many as are given or as it has. */
export function readWhole(fd: number, size: number): Buffer {
  const content = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const got = readSync(fd, content, length, size - length, length);
    if (got === 0) break;
    length += got;
  }
  return content.subarray(0, length);
}
