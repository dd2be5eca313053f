import { ToolError } from "../../contract/errors.js";
import type { UnreadPlace } from "../file/known-lines.js";

const editor = "str_replace_based_edit_tool";

/** The hint for an error of a file tool, with the commands and arguments of Claude's text editor. */
export function editorHint({ code, hint, details }: ToolError): string | undefined {
  if (code === "EDIT_NOT_READ") return hintToView((details?.["places"] ?? []) as readonly UnreadPlace[]);
  if (code === "EDIT_OLD_STR_AMBIGUOUS") return "Add surrounding lines to old_str until it is unique.";
  if (code === "EDIT_NOT_TEXT") return "Use a text file.";
  const total = details?.["totalLines"];
  if (code === "VALUE_INVALID" && typeof total === "number" && total > 0) {
    return `Use a view_range within lines 1 to ${total}.`;
  }
  return hint;
}

const maxPlaces = 50;

function hintToView(places: readonly UnreadPlace[]): string {
  const ranges = places.slice(0, maxPlaces).map(({ startLine, endLine }) => `[${startLine}, ${endLine}]`);
  const where = ranges.length === 0 ? "" : ` and view_range ${ranges.join(", then ")}`;
  return `Call ${editor} with command "view"${where} first, then make the change.`;
}

/** Run a function; an error that it throws gets the editor's hint. */
export async function withEditorHints<Result>(body: () => Promise<Result>): Promise<Result> {
  try {
    return await body();
  } catch (error) {
    const hint = error instanceof ToolError ? editorHint(error) : undefined;
    if (!(error instanceof ToolError) || hint === undefined || hint === error.hint) throw error;
    throw Object.defineProperty(error, "hint", { value: hint, enumerable: true });
  }
}
