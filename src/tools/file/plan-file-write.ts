import type { ToolContext } from "../../contract/context.js";
import type { FileMutation, FileStat } from "../../contract/ports/files.js";
import { decodeText } from "../../text/decode-text.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import type { PlannedChange } from "./change-files.js";
import { editText, knownAfter } from "./edited-text.js";
import { compareSeen } from "./freshness.js";
import {
  base64,
  checkCreatable,
  readPresentFile,
  requireAllSeen,
  requireText,
  requireUnchanged,
  type PresentFile,
} from "./layers.js";
import { notText } from "./layer-errors.js";
import { toAppend, fromBase64, toOverwrite, type NewContent, type OldContent } from "./new-content.js";
import { namedEncoding, noteWritten } from "./note-written.js";
import { createPresentLines } from "./present-lines.js";
import { plural } from "../../text/plural.js";

/** A requested write. */
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

type WriteDeps = Pick<ToolContext, "files" | "seen">;

/** Check a write: layers 2 and 4 to 8 to overwrite a file, layers 2, 4 and 8 to append. */
export async function planFileWrite(write: FileWrite, deps: WriteDeps): Promise<PlannedChange<WriteResult>> {
  const { path } = write;
  const stat = await deps.files.stat(path);
  if (stat === null) {
    await checkCreatable(deps, path);
    return planNewFile(write, deps);
  }
  if (stat.type === "directory") throw notText(path, "is a directory");
  return write.mode === "append" ? planAppend(write, deps, stat) : planOverwrite(write, deps);
}

async function planNewFile(write: FileWrite, deps: WriteDeps): Promise<PlannedChange<WriteResult>> {
  const { path, mode } = write;
  const text = mode === "append" ? toAppend : toOverwrite;
  const content = isBase64(write) ? fromBase64(write.content) : text(toText(write), undefined);
  const { data } = content;
  return {
    mutations: [{ op: "write", path, data, options: { create: true } }],
    preview: {
      summary: `Create ${path} with ${plural(data.length, "byte")}`,
      ...diffOf(path, undefined, content),
    },
    result: { ...toResult(write, content), created: true, overwritten: false },
    refresh: () => noteWhole(deps, path, content),
  };
}

async function planOverwrite(write: FileWrite, deps: WriteDeps): Promise<PlannedChange<WriteResult>> {
  const { path } = write;
  const raw = isBase64(write);
  const file = raw ? await readPresentFile(deps, path) : await requireText(deps, path);
  requireAllSeen(file);
  const content = raw ? fromBase64(write.content) : toOverwrite(toText(write), file);
  const { data } = content;
  const diff = diffOf(path, file, content);
  return {
    mutations: [{ op: "write", path, data, options: { ifContent: file.bytes } }],
    preview: { summary: `Overwrite ${path} with ${plural(data.length, "byte")}`, ...diff },
    result: { ...toResult(write, content), created: false, overwritten: true, ...diff },
    refresh: () => noteWhole(deps, path, content),
  };
}

/** The diff between two texts; none for binary content. */
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
  deps: WriteDeps,
  stat: FileStat,
): Promise<PlannedChange<WriteResult>> {
  const { path } = write;
  await requireUnchanged(deps, path, stat, { allowGrowth: true });
  const known = deps.seen.get(path);
  const head = {
    bytes: await deps.files.read(path, { length: headBytes }),
    encoding: known?.encoding === undefined || known.encoding === base64 ? "auto" : known.encoding,
  };
  const content = isBase64(write) ? fromBase64(write.content) : toAppend(toText(write), head);
  const { data } = content;
  // The seen lines need an update only if the session knows some.
  const before = known === undefined ? undefined : await readPresentFile(deps, path);
  const mutation: FileMutation = { op: "append", path, data, ifIdentity: stat.identity };
  return {
    mutations: [mutation],
    preview: {
      summary: `Append ${plural(data.length, "byte")} to ${path}`,
      details: { text: write.content.slice(0, 4000) },
    },
    result: { ...toResult(write, content), created: false, overwritten: false },
    refresh: async () => (before === undefined ? undefined : noteAppended(deps, before, data)),
  };
}

async function noteAppended(deps: WriteDeps, file: PresentFile, data: Uint8Array): Promise<void> {
  const { bytes, lines, seen, path } = file;
  if (seen === undefined || seen.encoding === base64) return deps.seen.forget(path);
  const end = bytes.length;
  const edited = editText(bytes, lines, [{ start: end, end, data }]);
  const known = knownAfter(compareSeen(seen, lines).known, edited);
  await noteWritten(deps, path, { edited, known, encoding: seen.encoding });
}

/** The session knows all lines of a content that it wrote. */
async function noteWhole(deps: WriteDeps, path: string, { data, encoding }: NewContent): Promise<void> {
  const stat = await deps.files.stat(path);
  if (stat === null) return deps.seen.forget(path);
  const { identity } = stat;
  if (encoding === base64) {
    const lines = [Buffer.from(data).toString("base64")];
    return deps.seen.set(path, { identity, runs: [{ start: 1, lines }], complete: true, encoding });
  }
  const lines = createPresentLines(data, encoding);
  const runs = lines.count === 0 ? [] : [{ start: 1, lines: lines.slice(1, lines.count) }];
  deps.seen.set(path, { identity, runs, complete: true, ...namedEncoding(data, lines.encoding) });
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
