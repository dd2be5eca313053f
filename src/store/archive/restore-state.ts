import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { BlobStore, BlobWriter } from "../../contract/ports/blobs.js";
import type { Clock } from "../../contract/ports/clock.js";
import { openBlobs } from "../blobs.js";
import { refuseNewer } from "../migrations.js";
import { databaseFile, placeOf, schemaOf } from "../open-database.js";
import { openStateDir } from "../state-dir.js";
import { systemClock } from "../../contract/system-clock.js";
import { badArchive, readArchive, type ArchiveEnd, type ArchivePiece } from "./archive-lines.js";
import { replaceFile } from "./replace-file.js";

export interface RestoreOptions {
  readonly stateDir: string;
  readonly workspace: string;
  /** "sqlite" or postgres://… @default "sqlite" */
  readonly database?: string;
  /** The archive from its beginning; it is read twice, once to check it whole. */
  readonly read: () => AsyncIterable<Uint8Array>;
  /** Also where another process has the state open: what that one writes from then on is lost. @default false */
  readonly force?: boolean;
  readonly clock?: Clock;
  readonly newId?: () => string;
}

export interface Restored {
  readonly rows: number;
  readonly contents: number;
  /** Where the former state lies now; nothing where there was none. */
  readonly kept?: string;
}

/** Put an archive in the place of a workspace's state; what was there before is kept aside. */
export async function restoreState(options: RestoreOptions): Promise<Restored> {
  const { clock = systemClock, newId = randomUUID, force = false, read, database = "sqlite" } = options;
  await checkWhole(read);
  const { dir, workspace } = openStateDir(options.stateDir, options.workspace);
  const { rows, contents } = await restoreContents(read, openBlobs(join(dir, "blobs"), newId));
  const common = { lines: () => readArchive(read()), force, clock };
  if (database === "sqlite") {
    const kept = await replaceFile({ ...common, file: databaseFile(dir), newId });
    return { rows, contents, ...(kept !== undefined && { kept }) };
  }
  const { replaceSchema } = await import("./replace-schema.js");
  const place = placeOf({ dir, newId });
  const kept = await replaceSchema({ ...common, url: database, schema: schemaOf(workspace), place });
  return { rows, contents, ...(kept !== undefined && { kept }) };
}

/** Read all of it before anything is touched. */
async function checkWhole(read: RestoreOptions["read"]): Promise<void> {
  for await (const line of readArchive(read())) {
    if ("tenon" in line) refuseNewer(line.schema, "in the backup");
  }
}

/** Contents come first: rows that name them must never stand without. One too many does no harm. */
async function restoreContents(read: RestoreOptions["read"], blobs: BlobStore): Promise<ArchiveEnd> {
  let open: { readonly hash: string; readonly writer: BlobWriter } | undefined;
  try {
    for await (const line of readArchive(read())) {
      if ("sha256" in line) return line;
      if (!("content" in line)) continue;
      if (open !== undefined && open.hash !== line.content) throw badArchive("a content in it is truncated");
      open ??= { hash: line.content, writer: blobs.create() };
      if (await addPiece(open.writer, line)) open = undefined;
    }
  } finally {
    open?.writer.abort();
  }
  throw badArchive("it is truncated");
}

async function addPiece(writer: BlobWriter, { base64, content, last }: ArchivePiece): Promise<boolean> {
  writer.write(Buffer.from(base64, "base64"));
  if (!last) return false;
  const { hash } = await writer.finish();
  if (hash !== content) throw badArchive("a content in it does not match its hash");
  return true;
}
