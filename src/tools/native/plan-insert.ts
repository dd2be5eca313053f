import type { ToolContext } from "../../contract/context.js";
import { ToolValidationError } from "../../contract/errors.js";
import { decodeText } from "../../text/decode-text.js";
import { toLineFeeds } from "../../text/line-ends.js";
import type { Splice } from "../../text/splice.js";
import type { PlannedChange } from "../file/change-files.js";
import { describeEdit } from "../file/describe-edit.js";
import { editText, knownAfter } from "../file/edited-text.js";
import { requireText, type PresentFile } from "../file/layers.js";
import { nothingKnown } from "../file/known-lines.js";
import { notExact, notRead } from "../file/layer-errors.js";
import { noteWritten } from "../file/note-written.js";
import { requireFresh } from "../file/plan-file-edit.js";
import { editorText, type EditorResult } from "./editor-text.js";
import type { EditorInput } from "./text-editor.js";

/** Check the insertion of lines by layers 5 to 8: the lines around it were seen and are unchanged. */
export async function planInsert(
  call: EditorInput,
  deps: Pick<ToolContext, "files" | "seen">,
): Promise<PlannedChange<EditorResult>> {
  const { path, insert_line: after = 0, insert_text: text = call.new_str ?? "" } = call;
  const file = await requireText(deps, path);
  const { lines, seen, bytes } = file;
  if (after < 0 || after > lines.count) throw outOfRange(after, lines.count);
  const spans = [after, after + 1]
    .filter((line) => line >= 1 && line <= lines.count)
    .map((line) => ({ startLine: line, endLine: line }));
  if (seen === undefined && spans.length > 0) throw notRead(path, spans);
  const known = seen === undefined ? nothingKnown : requireFresh(file, seen, { spans });
  const splices = [toSplice(file, after, text)];
  const edited = editText(bytes, lines, splices);
  const { diff, snippet } = describeEdit({ path }, edited);
  return {
    mutations: [{ op: "splice", path, before: bytes, splices }],
    preview: { summary: `Insert into ${path} after line ${after}`, diff },
    result: editorText(path, snippet),
    refresh: () =>
      noteWritten(deps, path, { edited, known: knownAfter(known, edited), encoding: seen?.encoding }),
  };
}

/** Whole lines, with the line ends of the file. */
function toSplice({ bytes, encoding, lines, path }: PresentFile, after: number, text: string): Splice {
  const decoded = decodeText(bytes, encoding);
  const newline = decoded.lineEnding === "crlf" ? "\r\n" : decoded.lineEnding === "cr" ? "\r" : "\n";
  const isOpen = after === lines.count && bytes.length > 0 && !/[\r\n]$/.test(decoded.text);
  const plain = toLineFeeds(text).replace(/\n$/, "");
  const placed = isOpen ? `\n${plain}` : `${plain}\n`;
  const data = decoded.encode(placed.replaceAll("\n", newline));
  if (data === undefined) throw notExact(path, `${encoding} cannot represent the new text.`);
  const at = lines.byteStart(after + 1);
  return { start: at, end: at, data };
}

function outOfRange(line: number, count: number): ToolValidationError {
  return new ToolValidationError(
    `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${count}]`,
    {
      code: "VALUE_INVALID",
      hint: `Use a line from 0 (the beginning) to ${count} (the end).`,
      details: { argument: "insert_line" },
    },
  );
}
