import { isRecord } from "../contract/is-record.js";

/** Names that other hosts' tools have for an argument, by Tenon's name. */
export const argumentAliases: Readonly<Record<string, readonly string[]>> = {
  path: [
    "file_path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "fileName",
    "absolute_path",
    "absolutePath",
    "target_file",
    "relative_workspace_path",
    "dir",
    "directory",
    "dir_path",
    "folder",
  ],
  from: ["source", "src", "old_path", "source_path"],
  to: ["destination", "dest", "new_path", "target", "destination_path"],
  old_str: ["old_string", "oldString", "old_text", "oldText"],
  new_str: ["new_string", "newString", "new_text", "newText"],
  replace_all: ["replaceAll"],
  content: ["contents", "file_text", "text"],
  command: ["cmd", "script"],
  cwd: ["workdir", "working_directory", "workingDirectory", "directory"],
  timeout: ["timeout_ms", "timeoutMs"],
  background: ["run_in_background", "is_background"],
  pattern: ["regex", "query", "search_pattern", "glob_pattern"],
  glob: ["include", "include_pattern", "file_pattern"],
  query: ["search_term", "pattern"],
  mode: ["output_mode"],
  ignore_case: ["-i", "case_insensitive", "ignoreCase"],
  context: ["-C", "-A", "-B", "context_lines"],
  limit: ["head_limit", "max_results", "maxResults"],
  start_line: ["startLine", "line_start", "start_line_one_indexed"],
  end_line: ["endLine", "line_end", "end_line_one_indexed_inclusive"],
  job_id: ["bash_id", "shell_id"],
};

/** Arguments of other hosts that change nothing here: explanations for their own users. */
const withoutMeaning = new Set([
  "description",
  "explanation",
  "requires_approval",
  "require_user_approval",
  "instructions",
  // The command of another host's text editor has chosen the tool already.
  "command",
  "-n",
]);

const byAlias = new Map<string, string[]>();
for (const [own, aliases] of Object.entries(argumentAliases)) {
  for (const alias of aliases) byAlias.set(alias, [...(byAlias.get(alias) ?? []), own]);
}

/**
 * Arguments as Tenon names them, from those that a model wrote for another host's tool. Only names that the tool does not
 * know are touched. Returns `undefined` if nothing can be renamed.
 *
 * @param known The names of the tool's own arguments.
 */
export function toOwnArguments(args: unknown, known: ReadonlySet<string>): unknown {
  if (!isRecord(args)) return undefined;
  const own: Record<string, unknown> = {};
  let isChanged = false;
  for (const [key, value] of Object.entries(linesFromOffset(args, known))) {
    const target = known.has(key) ? key : targetOf(key, args, known);
    if (target === undefined && withoutMeaning.has(key)) isChanged = true;
    else own[target ?? key] = toOwnValue(target ?? key, value);
    if (own[key] !== value) isChanged = true;
  }
  return isChanged || !Object.keys(args).every((key) => key in own) ? own : undefined;
}

function targetOf(key: string, args: object, known: ReadonlySet<string>): string | undefined {
  return byAlias.get(key)?.find((own) => known.has(own) && !(own in args));
}

/** Readers of other hosts count with an offset and a limit of lines. */
function linesFromOffset(args: Record<string, unknown>, known: ReadonlySet<string>): Record<string, unknown> {
  const range = args["view_range"];
  if (Array.isArray(range) && known.has("start_line") && !known.has("view_range")) {
    const { view_range: _range, ...rest } = args;
    const [start, end] = range as unknown[];
    return { ...rest, start_line: start, ...(end !== -1 && { end_line: end }) };
  }
  const { offset, limit, ...rest } = args;
  const counts = typeof offset === "number" || typeof limit === "number";
  if (!counts || known.has("offset") || known.has("limit") || !known.has("start_line")) return args;
  const start = typeof offset === "number" ? Math.max(1, offset) : 1;
  return { ...rest, start_line: start, ...(typeof limit === "number" && { end_line: start + limit - 1 }) };
}

const ownValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  mode: { files_with_matches: "files" },
};

function toOwnValue(key: string, value: unknown): unknown {
  if (typeof value === "string") return ownValues[key]?.[value] ?? value;
  if (key !== "edits" || !Array.isArray(value)) return value;
  const known = new Set(["old_str", "new_str", "replace_all"]);
  return value.map((edit) => toOwnArguments(edit, known) ?? edit);
}
