import { toShellLine } from "../command/shell-quote.js";
import { isRecord } from "../contract/is-record.js";
import { fold, isCommonTool } from "./foreign-tools.js";

/** Names that other hosts' tools have for an argument, by Tenon's name; case and separators do not matter. */
const argumentAliases: Readonly<Record<string, readonly string[]>> = {
  path: [
    "file_path",
    "file",
    "filename",
    "absolute_path",
    "notebook_path",
    "target_file",
    "target_directory",
    "search_directory",
    "relative_workspace_path",
    "dir",
    "directory",
    "dir_path",
    "directory_path",
    "folder",
  ],
  from: ["source", "src", "old_path", "source_path"],
  to: ["destination", "dest", "new_path", "target", "destination_path"],
  old_str: ["old_string", "old_text"],
  new_str: ["new_string", "new_text"],
  content: ["contents", "file_text", "text", "code_content"],
  file_text: ["content", "contents"],
  insert_text: ["text", "content"],
  commands: ["command", "cmd"],
  patch: ["input", "diff", "patch_text"],
  command: ["cmd", "script", "input"],
  cwd: ["workdir", "working_directory", "directory", "cd"],
  timeout: ["timeout_ms"],
  background: ["run_in_background", "is_background"],
  pattern: ["regex", "query", "search_pattern", "search_term", "glob_pattern", "glob", "name"],
  glob: ["include", "include_pattern", "file_pattern"],
  query: ["search_term", "pattern"],
  mode: ["output_mode"],
  ignore_case: ["-i", "case_insensitive"],
  context: ["-C", "-A", "-B", "context_lines"],
  limit: ["head_limit", "max_results"],
  start_line: ["line_start", "start_line_one_indexed"],
  end_line: ["line_end", "end_line_one_indexed_inclusive"],
  job_id: ["bash_id", "shell_id", "session_id", "id"],
  text: ["chars"],
};

/** Arguments of other hosts that have no effect here, by tool: with any value, or with these values only. */
const withoutMeaning: Readonly<Record<string, Readonly<Record<string, true | readonly unknown[]>>>> = {
  read_file: { command: true, shouldreadentirefile: [false] },
  write_file: { command: true, linecount: true },
  edit_file: { command: true, expectedreplacements: [1] },
  undo_edit: { command: true },
  grep: { n: true, isregexp: [true] },
  shell_exec: {
    goal: true,
    justification: true,
    login: true,
    tty: [false],
    isinput: [false, "false"],
    yieldtimems: true,
    maxoutputtokens: true,
    securityrisk: true,
    runinterminal: true,
  },
  web_fetch: { prompt: true, format: ["text", "markdown"] },
};

/** Explanations for the users of other hosts, which several of their tools take. */
const explanations = new Set(
  [
    "description",
    "explanation",
    "instruction",
    "instructions",
    "requires_approval",
    "require_user_approval",
  ].map(fold),
);

const byLines = 'Use "start_line" and "end_line".';
const inSeconds = 'Use "duration", which is in seconds.';

const inConfiguration = "The time limit is set with tools.perTool.bash.timeout in the configuration.";

/** What to pass instead of an argument that Tenon's tool does not have. */
const hints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  read_file: {
    lines: byLines,
    linerange: byLines,
    pages: 'Pages of a PDF follow each other in its text; use "start_line" and "end_line".',
  },
  glob: { patterns: 'Use "pattern" with braces, such as "{src,test}/**/*.ts".' },
  code_query: { targetdirectories: 'Use "path" for a directory, and call once for each of them.' },
  web_fetch: { format: 'Use "http_get" for the page as it is.' },
  web_search: {
    alloweddomains: 'Name the sites in "query".',
    blockeddomains: 'Name in "query" what to leave out.',
  },
  grep: {
    fileswithmatches: 'Use mode: "files".',
    count: 'Use mode: "count".',
    type: 'Use "glob", such as "*.ts", for a type of file.',
    excludepattern: 'Use "glob" for the files to search in.',
    exclude: 'Use "glob" for the files to search in.',
    excludepatterns: 'Use "glob" for the files to search in.',
  },
  edit_file: {
    expectedreplacements: 'Use "replace_all" to replace every one.',
    edits: 'Call "multi_edit" for several edits of a file.',
    codeedit: 'Pass "old_str" and "new_str": the exact text before and after.',
  },
  bash: {
    timeout: inConfiguration,
    timeoutms: inConfiguration,
  },
  apply_diff: { path: "Name the file in the diff, or call edit_file with old_str and new_str." },
  list_files: {
    ignore: 'Use "pattern" for the files to list; ignored ones are left out already.',
    depth: 'Use "recursive" for everything below.',
    filefilteringoptions: 'Ignored files are left out; use "include_ignored" to list them, too.',
  },
  sleep: { durationms: inSeconds, ms: inSeconds, milliseconds: inSeconds, seconds: inSeconds },
  ask_user: { followup: 'Use "options" for suggested answers.' },
};

const byAlias = new Map<string, string[]>();
for (const [own, aliases] of Object.entries(argumentAliases)) {
  for (const alias of aliases) byAlias.set(fold(alias), [...(byAlias.get(fold(alias)) ?? []), own]);
}

/** The tool that is called, and the names of its arguments. */
export interface OwnTool {
  readonly name: string;
  readonly known: ReadonlySet<string>;
}

/**
 * Arguments as Tenon names them, from those that a model wrote for another host's tool. Only names that the tool does not
 * know are touched. Returns `undefined` if nothing can be renamed.
 */
export function toOwnArguments(args: unknown, tool: OwnTool): unknown {
  if (typeof args === "string" && tool.name === "apply_patch") return { patch: args };
  if (!isRecord(args)) return undefined;
  const own: Record<string, unknown> = {};
  let isChanged = false;
  for (const [key, value] of Object.entries(linesFromOffset(withoutAction(args, tool), tool))) {
    const target = tool.known.has(key) ? key : targetOf(key, args, tool);
    if (target === undefined && isWithoutMeaning(key, value, tool)) continue;
    const name = target ?? key;
    // Two names for one argument: only the lines before and after a match can be one number.
    if (Object.hasOwn(own, name)) {
      if (name !== "context") return undefined;
      own[name] = Math.max(Number(own[name]), Number(value));
      continue;
    }
    own[name] = toOwnValue(name, name === "commands" && key !== name ? toLines(value) : value, tool);
    if (own[key] !== value) isChanged = true;
  }
  convertSwitches(own, tool);
  return isChanged || !Object.keys(args).every((key) => key in own) ? own : undefined;
}

/** What to pass instead of arguments that the tool does not know; `undefined` if nothing is known of them. */
export function argumentHint(args: unknown, { name, known }: OwnTool): string | undefined {
  if (!isRecord(args)) return undefined;
  const found = Object.keys(args).flatMap((key) => (known.has(key) ? [] : (hints[name]?.[fold(key)] ?? [])));
  return found.length === 0 ? undefined : found.join(" ");
}

function targetOf(key: string, args: object, { known }: OwnTool): string | undefined {
  const plain = fold(key);
  const isFree = (own: string): boolean => known.has(own) && !(own in args);
  return [...known].find((own) => fold(own) === plain && isFree(own)) ?? byAlias.get(plain)?.find(isFree);
}

function isWithoutMeaning(key: string, value: unknown, { name }: OwnTool): boolean {
  const plain = fold(key);
  const values = withoutMeaning[name]?.[plain];
  if (values !== undefined) return values === true || values.includes(value);
  return explanations.has(plain) && isCommonTool(name);
}

/** OpenAI's API has the arguments of its shell within an action. */
function withoutAction(args: Record<string, unknown>, { known }: OwnTool): Record<string, unknown> {
  const { action, ...rest } = args;
  if (!isRecord(action) || known.has("action")) return args;
  if (!known.has("commands") && !known.has("command")) return args;
  const { type: _type, ...inner } = action;
  return { ...rest, ...inner };
}

/** Readers of other hosts count with an offset and a limit of lines, or name those at one end. */
function linesFromOffset(args: Record<string, unknown>, { known }: OwnTool): Record<string, unknown> {
  const { head, tail, ...between } = args;
  if (known.has("start_line") && (typeof head === "number") !== (typeof tail === "number")) {
    const isHead = typeof head === "number";
    return { ...between, ...(isHead ? { end_line: head } : { start_line: -Number(tail) }) };
  }
  const range = args["view_range"];
  if ((Array.isArray(range) || range === null) && known.has("start_line") && !known.has("view_range")) {
    const { view_range: _range, ...rest } = args;
    if (range === null) return rest;
    const [start, end] = range as unknown[];
    return { ...rest, start_line: start, ...(end !== -1 && { end_line: end }) };
  }
  const { offset, limit, ...rest } = args;
  const counts = typeof offset === "number" || typeof limit === "number";
  if (!counts || known.has("offset") || known.has("limit") || !known.has("start_line")) return args;
  const start = typeof offset === "number" ? Math.max(1, offset) : 1;
  return { ...rest, start_line: start, ...(typeof limit === "number" && { end_line: start + limit - 1 }) };
}

/** Switches of other hosts that change another argument. */
function convertSwitches(own: Record<string, unknown>, { name }: OwnTool): void {
  if (name === "read_file" && own["should_read_entire_file"] === true) {
    for (const key of ["should_read_entire_file", "start_line", "end_line"]) delete own[key];
  }
  if (name !== "grep") return;
  if (typeof own["case_sensitive"] === "boolean" && own["ignore_case"] === undefined) {
    own["ignore_case"] = !own["case_sensitive"];
    delete own["case_sensitive"];
  }
  if (own["isRegexp"] === false && typeof own["pattern"] === "string") {
    own["pattern"] = own["pattern"].replaceAll(/[\\^$.*+?()[\]{}|#&~-]/g, String.raw`\$&`);
    delete own["isRegexp"];
  }
}

const ownValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  mode: { files_with_matches: "files" },
};

function toOwnValue(key: string, value: unknown, { name }: OwnTool): unknown {
  if (key === "job_id" && typeof value === "number") return String(value);
  if (key === "commands" && typeof value === "string") return [value];
  if (typeof value === "string") return ownValues[key]?.[value] ?? value;
  if (!Array.isArray(value)) return value;
  if (key === "command" && (name === "shell_exec" || name === "bash"))
    return isWords(value) ? toShellLine(value) : value;
  if (key !== "edits") return value;
  const known = new Set(["old_str", "new_str", "replace_all"]);
  return value.map((edit) => toOwnArguments(edit, { name: "", known }) ?? edit);
}

/** A command as a list of lines; the command may itself be a list of its words. */
function toLines(command: unknown): unknown {
  return Array.isArray(command) && isWords(command) ? [toShellLine(command)] : command;
}

function isWords(value: readonly unknown[]): value is readonly string[] {
  return value.length > 0 && value.every((word) => typeof word === "string");
}
