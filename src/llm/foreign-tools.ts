/** A tool of Tenon that means the same as one of another host, or a sentence about what to call instead. */
export interface ForeignTool {
  readonly name?: string;
  readonly hint?: string;
}

/** Names that other hosts have for Tenon's tools, in any spelling: `read_file` matches `readFile`, too. */
const toolAliases: Readonly<Record<string, readonly string[]>> = {
  read_file: [
    "read",
    "cat",
    "view",
    "view_file",
    "open_file",
    "read_text_file",
    "view_image",
    "notebook_read",
  ],
  write_file: ["write", "create", "create_file", "write_to_file"],
  edit_file: ["edit", "str_replace", "search_replace", "replace", "replace_string_in_file"],
  multi_edit: [],
  apply_patch: ["patch"],
  grep: [
    "rg",
    "ripgrep",
    "grep_search",
    "grep_files",
    "search_files",
    "search_dir",
    "search_file_content",
    "search_for_pattern",
  ],
  glob: ["find", "find_file", "find_files", "find_path", "find_by_name", "file_search", "glob_file_search"],
  code_query: ["codebase_search", "semantic_search", "find_symbol"],
  list_files: ["ls", "list", "list_dir", "list_directory"],
  shell_exec: [
    "bash",
    "shell",
    "local_shell",
    "shell_command",
    "exec_command",
    "unified_exec",
    "container.exec",
    "run_terminal_cmd",
    "run_terminal_command",
    "run_in_terminal",
    "execute_command",
    "run_shell_command",
    "terminal",
    "exec",
    "execute_bash",
  ],
  shell_output: ["bash_output", "get_terminal_output"],
  shell_kill: ["kill_bash", "kill_shell"],
  shell_input: ["write_stdin"],
  move_file: ["mv", "rename_file", "move_path"],
  copy_file: ["cp", "copy_path"],
  make_directory: ["mkdir", "create_directory"],
  delete_file: ["rm", "remove_file", "delete_path"],
  get_file_info: ["stat"],
  web_fetch: ["fetch", "fetch_url"],
  web_search: ["google_web_search"],
  ask_user: ["ask_followup_question", "ask_user_question"],
};

/** Advice for tools of other hosts that no single tool of Tenon replaces. */
const hints = new Map<string, string>();
for (const [hint, ...names] of [
  [
    'Use "create_task" and "update_task_status" for tasks.',
    "todo_write",
    "write_todos",
    "update_plan",
    "todo",
    "manage_todo_list",
  ],
  ['Use "get_tasks".', "todo_read"],
  ['Use "edit_file": a notebook is a JSON file.', "notebook_edit"],
  [
    "Tenon starts no other agents; call the tools yourself.",
    "task",
    "new_task",
    "agent",
    "skill",
    "slash_command",
  ],
  [
    "No tool is needed for this: answer in plain text.",
    "attempt_completion",
    "finish",
    "submit",
    "exit_plan_mode",
    "think",
    "sequential_thinking",
  ],
  [
    'Use "edit_file" with old_str and new_str, or "multi_edit" for several places of a file.',
    "replace_in_file",
    "replace_file_content",
    "insert_edit_into_file",
    "multi_replace_string_in_file",
  ],
  ['Use "apply_patch" to insert lines.', "insert", "insert_content"],
  ['Call "read_file" once for each file.', "read_files", "read_many_files", "read_multiple_files"],
  ['Use "write_file" with an empty content.', "touch"],
  ['Use "move_file" with from and to.', "rename"],
  ['Use "read_file".', "open"],
  ['Use "current_time".', "now", "get_time", "get_current_time"],
  ['Run git with "shell_exec".', "get_changed_files", "git_status", "git_diff"],
  ["Nothing has to be done again or switched here; go on with the other tools.", "reapply", "switch_mode"],
  ['Use "list_files" with recursive: true.', "directory_tree", "print_tree", "tree"],
  ['Use "read_file_truncated" for the declarations of a file.', "list_code_definition_names"],
  ['Use "code_query" for definitions and "grep" for uses.', "list_code_usages", "find_references"],
  ['Call "web_fetch" once for each url.', "fetch_webpage"],
  [
    'Tenon has no browser; "web_fetch" returns the text of a page.',
    "browser_action",
    "browser_navigate",
    "computer",
  ],
  ['Use "http_get", "http_post" or "http_request".', "http", "curl"],
  ['Use "edit_file" to change a file, or run the program with "shell_exec".', "sed", "awk"],
  ['Use "list_files", which has the sizes, too.', "list_directory_with_sizes"],
  ['Use paths within the workspace; "." is its root.', "list_allowed_directories"],
  ["Call the tools themselves, several of them in one message.", "multi_tool_use.parallel"],
  ['Run the program with "shell_exec".', "python", "execute_ipython_cell", "code_interpreter"],
  ['Run the compiler or linter with "shell_exec".', "diagnostics", "lsp_diagnostics", "get_errors"],
  ["Call the tool by its own name, such as server:tool.", "use_mcp_tool"],
  ['Use "save_learning" or "save_insight".', "save_memory"],
  ['Use "query_memory" and "save_insight"; or set tools.native to [anthropic].', "memory"],
  [
    'Use "read_file" to view, "write_file" to create, "edit_file" to replace and "apply_patch" to insert; or set tools.native to [anthropic].',
    "str_replace_editor",
    "str_replace_based_edit_tool",
  ],
] as const) {
  for (const name of names) hints.set(fold(name), hint);
}

const byAlias = new Map<string, string>();
for (const [own, aliases] of Object.entries(toolAliases)) {
  // Its own name in another spelling counts, too.
  for (const alias of [own, ...aliases]) byAlias.set(fold(alias), own);
}

/** Whether other hosts have a tool like this one of Tenon. */
export function isCommonTool(name: string): boolean {
  return Object.hasOwn(toolAliases, name);
}

/** What the name of another host's tool means here; `undefined` for an unknown name. */
export function findForeignTool(name: string, args: unknown): ForeignTool | undefined {
  const plain = fold(name.replace(namespace, ""));
  const own = byAlias.get(plain) ?? editorTool(plain, args);
  if (own !== undefined) return { name: own };
  const hint = hints.get(plain);
  return hint === undefined ? undefined : { hint };
}

/** A name without its case and separators, which differ between hosts: `todo_write`, `TodoWrite`. */
export function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.\s]/g, "");
}

/** What models put before the names of functions, and hosts before those of this server. */
const namespace = /^(?:functions\.|tools\.|default_api[.:]|mcp__tenon__|tenon__)/;

const editorCommands: Readonly<Record<string, string>> = {
  view: "read_file",
  create: "write_file",
  str_replace: "edit_file",
  undo_edit: "undo_edit",
};

function editorTool(name: string, args: unknown): string | undefined {
  if (name !== "strreplaceeditor" && name !== "strreplacebasededittool") return undefined;
  const { command } = Object(args) as { command?: unknown };
  return typeof command === "string" ? editorCommands[command] : undefined;
}
