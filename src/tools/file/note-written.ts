import type { ToolContext } from "../../contract/context.js";
import type { LineRun } from "../../text/line-runs.js";
import { decodeText } from "../../text/decode-text.js";
import { bytesAfter, type EditedText } from "./edited-text.js";

export interface Written {
  readonly edited: EditedText;
  /** What the session knows of the new text. */
  readonly runs: readonly LineRun[];
  readonly encoding?: string | undefined;
}

/** Tenon itself wrote a file: what the session knew of it, and what was written, is known of the new one. */
export async function noteWritten(
  { files, seen }: Pick<ToolContext, "files" | "seen">,
  path: string,
  { edited, runs, encoding }: Written,
): Promise<void> {
  const stat = await files.stat(path);
  if (stat === null) return seen.forget(path);
  const [run] = runs;
  const isWhole = runs.length <= 1 && (run?.start ?? 1) === 1;
  // Only where all of the text is known is it worth to count its lines.
  const complete = isWhole && (run?.lines.length ?? 0) === linesAfter(edited);
  const named = encoding === undefined ? encodingAfter(edited) : { encoding };
  seen.set(path, { identity: stat.identity, runs, complete, ...named });
}

/** The encoding to remember, where nobody would find it out from the bytes. */
export function namedEncoding(bytes: Uint8Array, encoding: string): { encoding?: string } {
  return decodeText(bytes).encoding === encoding ? {} : { encoding };
}

/** Of a large file a small edit hardly changes what its encoding looks like. */
const lookedAt = 1 << 20;

function encodingAfter(edited: EditedText): { encoding?: string } {
  return edited.before.length > lookedAt ? {} : namedEncoding(bytesAfter(edited), edited.lines.encoding);
}

function linesAfter({ lines, changes }: EditedText): number {
  return changes.reduce(
    (sum, { startLine, endLine, newLines }) => sum + newLines.length - (endLine - startLine + 1),
    lines.count,
  );
}
