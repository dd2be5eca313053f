import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { MeantCall, Tool } from "../../contract/tool.js";
import { fileChangeMethods } from "../file/change-files.js";
import { checkPath } from "../file/layers.js";
import type { EditResult } from "../file/plan-file-edit.js";
import type { ReadResult } from "../file/read-result.js";
import { editorHint, withEditorHints } from "./editor-hint.js";
import { planInsert } from "./plan-insert.js";
import { editorText, viewText } from "./editor-text.js";

const input = z.object({
  command: z.enum(["view", "create", "str_replace", "insert", "undo_edit"]),
  path: z.string().min(1).describe("The file or directory, relative to the workspace or absolute."),
  view_range: z
    .array(z.number().int())
    .length(2)
    .optional()
    .describe("For view: first and last line, starting at 1; -1 as the last line means the end of the file."),
  file_text: z.string().optional().describe("For create: the content of the file."),
  old_str: z.string().optional().describe("For str_replace: the text to replace; it must be unique."),
  new_str: z.string().optional().describe("For str_replace: the text to replace it with."),
  insert_line: z
    .number()
    .int()
    .optional()
    .describe("For insert: the line after which to insert; 0 means the beginning of the file."),
  insert_text: z.string().optional().describe("For insert: the text to insert."),
});

export type EditorInput = z.infer<typeof input>;

const output = z.object({
  output: z.string(),
  image: z.object({ data: z.string(), mimeType: z.string() }).optional(),
});

/** Claude's text editor, carried out by the file tools. */
export const textEditor: Tool = defineTool({
  name: "str_replace_based_edit_tool",
  description:
    "View, create and edit text files. A file must be viewed before it is changed. Changes can be undone with undo_edit.",
  category: "file",
  annotations: { title: "Text editor", dangerous: true },
  native: { provider: "anthropic", definition: { type: "text_editor_20250728" } },
  replaces: ["read_file", "write_file", "edit_file", "multi_edit", "apply_diff", "apply_patch"],
  examples: [{ arguments: { command: "view", path: "src/index.ts", view_range: [1, 40] } }],
  input,
  output,
  meansCall,
  resources: ({ path }) => ({ reads: [{ path }], writes: [{ path }] }),
  ...fileChangeMethods({
    check: checkInsert,
    plan: (call: EditorInput, ctx: ToolContext) => withEditorHints(() => planInsert(call, ctx)),
  }),
  render: ({ output: text, image }) =>
    image === undefined
      ? text
      : [
          { type: "text", text },
          { type: "image", ...image },
        ],
});

/** Every command but insert is one of Tenon's own tools. */
function meansCall(call: EditorInput): MeantCall | undefined {
  const meant = meantBy(call);
  return meant && { ...meant, hint: editorHint };
}

function meantBy(call: EditorInput): MeantCall | undefined {
  const { command, path } = call;
  if (command === "view") {
    const answer = (result: unknown) => viewText(path, result as ReadResult);
    return { name: "read_file", arguments: { path, ...linesOf(call) }, answer };
  }
  if (command === "create") {
    const content = required(call, "file_text");
    const answer = () => ({ output: `File created successfully at: ${path}` });
    return { name: "write_file", arguments: { path, content, final_newline: false }, answer };
  }
  if (command === "str_replace") {
    const edit = { path, old_str: required(call, "old_str"), new_str: call.new_str ?? "" };
    const answer = (result: unknown) => editorText(path, (result as EditResult).contextSnippet);
    return { name: "edit_file", arguments: edit, answer };
  }
  if (command === "undo_edit") {
    const answer = () => ({ output: `Last edit to ${path} undone successfully.` });
    return { name: "undo_edit", arguments: { path }, answer };
  }
  required(call, "insert_line");
  if (call.insert_text === undefined && call.new_str === undefined) required(call, "insert_text");
  return undefined;
}

function checkInsert({ path }: EditorInput, ctx: ToolContext): void {
  checkPath(ctx, path);
}

function linesOf({ view_range: range }: EditorInput): { start_line?: number; end_line?: number } {
  if (range === undefined) return {};
  const [start = 1, end = -1] = range;
  if (start < 1 || (end !== -1 && end < start)) {
    throw new ToolValidationError(
      `Invalid \`view_range\` [${start}, ${end}]: the first line must be at least 1, and the last one not before it.`,
      {
        code: "VALUE_INVALID",
        hint: "Use [first, last], or [first, -1] for the rest of the file.",
        details: { argument: "view_range" },
      },
    );
  }
  return { start_line: start, ...(end !== -1 && { end_line: end }) };
}

function required<Key extends keyof EditorInput>(call: EditorInput, key: Key): NonNullable<EditorInput[Key]> {
  const value = call[key];
  if (value !== undefined) return value;
  throw new ToolValidationError(`Parameter \`${key}\` is required for command: ${call.command}`, {
    code: "VALUE_INVALID",
    hint: `Pass ${key} and call again.`,
    details: { argument: key },
  });
}
