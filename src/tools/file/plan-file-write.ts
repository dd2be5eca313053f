import type { ToolContext } from "../../contract/context.js";
import type { FileMutation, FileStat } from "../../contract/ports/files.js";
import { decodeText } from "../../text/decode-text.js";
import type { LineRun } from "../../text/line-runs.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import type { PlannedChange } from "./change-files.js";
import { editText, runsAfter } from "./edited-text.js";
import { compareSeen } from "./freshness.js";
import {
  base64,
  checkCreatable,
  lookAt,
  requireAllSeen,
  requireText,
  requireUnchanged,
  type PresentFile,
} from "./layers.js";
import { notText } from "./layer-errors.js";
import { appended, fromBase64, overwritten, type NewContent, type OldContent } from "./new-content.js";
import { namedEncoding, noteWritten } from "./note-written.js";
import { createPresentLines } from "./present-lines.js";

/** A write as the caller wants it. */
export interface FileWrite {
  readonly path: string;
  readonly content: string;
  readonly mode: "overwrite" | "append";
  readonly encoding?: string | undefined;
  readonly final_newline: boolean;
}

export interface WriteResult {
  path: string;
  mode: "overwrite" | "append";
  bytesWritten: number;
  lineCount: number;
  created: boolean;
  overwritten: boolean;
  diff?: string;
}

type World = Pick<ToolContext, "files" | "seen">;

/** Bring a write through its layers: 2 and 4 to 8 over a file, 2, 4 and 8 at its end. */
export async function planFileWrite(write: FileWrite, world: World): Promise<PlannedChange<WriteResult>> {
  const { path } = write;
  const stat = await world.files.stat(path);
  if (stat === null) {
    await checkCreatable(world, path);
    return planNewFile(write, world);
  }
  if (stat.type === "directory") throw notText(path, "is a directory");
  return write.mode === "append" ? planAppend(write, world, stat) : planOverwrite(write, world, stat);
}

async function planNewFile(write: FileWrite, world: World): Promise<PlannedChange<WriteResult>> {
  const { path, mode } = write;
  const text = mode === "append" ? appended : overwritten;
  const content = isBase64(write) ? fromBase64(write.content) : text(toText(write), undefined);
  const { data } = content;
  return {
    mutations: [{ op: "write", path, data, options: { create: true } }],
    preview: { summary: `Create ${path} with ${data.length} bytes`, ...diffOf(path, undefined, content) },
    result: { ...toResult(write, content), created: true, overwritten: false },
    refresh: () => noteWhole(world, path, content),
  };
}

async function planOverwrite(
  write: FileWrite,
  world: World,
  stat: FileStat,
): Promise<PlannedChange<WriteResult>> {
  const { path } = write;
  const raw = isBase64(write);
  const file = raw ? await lookAt(world, path, stat) : await requireText(world, path, stat);
  requireAllSeen(file);
  const content = raw ? fromBase64(write.content) : overwritten(toText(write), file);
  const { data } = content;
  const diff = diffOf(path, file, content);
  return {
    mutations: [{ op: "write", path, data, options: { ifContent: file.bytes } }],
    preview: { summary: `Overwrite ${path} with ${data.length} bytes`, ...diff },
    result: { ...toResult(write, content), created: false, overwritten: true, ...diff },
    refresh: () => noteWhole(world, path, content),
  };
}

/** The difference between two texts; bytes have none that could be shown. */
function diffOf(path: string, before: OldContent | undefined, after: NewContent): { diff?: string } {
  if (after.encoding === base64) return {};
  const names = before === undefined ? { oldPath: null, newPath: path } : { path };
  const old = before === undefined ? "" : decodeText(before.bytes, before.encoding).text;
  return { diff: unifiedDiff({ ...names, before: old, after: decodeText(after.data, after.encoding).text }) };
}

/** A sample is enough to find an encoding. */
const headBytes = 1 << 16;

async function planAppend(
  write: FileWrite,
  world: World,
  stat: FileStat,
): Promise<PlannedChange<WriteResult>> {
  const { path } = write;
  await requireUnchanged(world, path, stat, { allowGrowth: true });
  const known = world.seen.get(path);
  const head = {
    bytes: await world.files.read(path, { length: headBytes }),
    encoding: known?.encoding === undefined || known.encoding === base64 ? "auto" : known.encoding,
  };
  const content = isBase64(write) ? fromBase64(write.content) : appended(toText(write), head);
  const { data } = content;
  // Only where something is known of the file is there something to bring up to date.
  const before = known === undefined ? undefined : await lookAt(world, path, stat);
  const mutation: FileMutation = { op: "append", path, data, ifIdentity: stat.identity };
  return {
    mutations: [mutation],
    preview: {
      summary: `Append ${data.length} bytes to ${path}`,
      details: { text: write.content.slice(0, 4000) },
    },
    result: { ...toResult(write, content), created: false, overwritten: false },
    refresh: async () => (before === undefined ? undefined : noteAppended(world, before, data)),
  };
}

async function noteAppended(world: World, file: PresentFile, data: Uint8Array): Promise<void> {
  const { bytes, lines, seen, path } = file;
  if (seen === undefined || seen.encoding === base64) return world.seen.forget(path);
  const end = bytes.length;
  const edited = editText(bytes, lines, [{ start: end, end, data }]);
  const runs: readonly LineRun[] = compareSeen(seen, lines).runs;
  await noteWritten(world, path, { edited, runs: runsAfter(runs, edited), encoding: seen.encoding });
}

/** Who wrote a content knows all of it. */
async function noteWhole(world: World, path: string, { data, encoding }: NewContent): Promise<void> {
  const stat = await world.files.stat(path);
  if (stat === null) return world.seen.forget(path);
  const { identity } = stat;
  if (encoding === base64) {
    const lines = [Buffer.from(data).toString("base64")];
    return world.seen.set(path, { identity, runs: [{ start: 1, lines }], complete: true, encoding });
  }
  const lines = createPresentLines(data, encoding);
  const runs = lines.count === 0 ? [] : [{ start: 1, lines: lines.slice(1, lines.count) }];
  world.seen.set(path, { identity, runs, complete: true, ...namedEncoding(data, lines.encoding) });
}

function isBase64({ encoding }: FileWrite): boolean {
  return encoding?.toLowerCase() === base64;
}

function toText({ path, content, encoding, final_newline: finalNewline }: FileWrite) {
  return { path, content, encoding: encoding?.toLowerCase() === "auto" ? undefined : encoding, finalNewline };
}

function toResult({ path, mode }: FileWrite, { data, encoding }: NewContent) {
  const lines = createPresentLines(data, encoding === base64 ? "auto" : encoding);
  return { path, mode, bytesWritten: data.length, lineCount: lines.count };
}
