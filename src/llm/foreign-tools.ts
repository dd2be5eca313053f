/** A tool of Tenon that means the same as one of another host, or a sentence about what to call instead. */
export interface ForeignTool {
  readonly name?: string;
  readonly hint?: string;
}

/** Names that other hosts have for Tenon's tools, in lower case. */
export const toolAliases: Readonly<Record<string, readonly string[]>> = {
  read_file: ["read", "cat", "view", "view_file", "open_file", "readfile", "read_text_file"],
  write_file: ["write", "create_file", "writefile", "write_to_file"],
  edit_file: ["edit", "str_replace", "search_replace", "editfile", "replace"],
  multi_edit: ["multiedit"],
  grep: ["rg", "ripgrep", "grep_search", "search_files", "search_file_content", "search_for_pattern"],
  glob: ["find_files", "file_search", "glob_file_search"],
  code_query: ["codebase_search", "find_symbol"],
  list_files: ["ls", "list_dir", "list_directory", "listdir"],
  shell_exec: [
    "bash",
    "shell",
    "run_terminal_cmd",
    "run_terminal_command",
    "execute_command",
    "run_shell_command",
    "terminal",
    "exec",
    "execute_bash",
  ],
  shell_output: ["bashoutput", "get_terminal_output"],
  shell_kill: ["killshell", "killbash"],
  move_file: ["rename_file"],
  make_directory: ["mkdir", "create_directory"],
  delete_file: ["remove_file"],
  get_file_info: ["stat"],
  web_fetch: ["webfetch", "fetch", "fetch_url"],
  web_search: ["websearch"],
  ask_user: ["ask_followup_question", "askuserquestion"],
};

/** Tools of other hosts that no single tool of Tenon stands for. */
const hints: Readonly<Record<string, string>> = {
  todowrite: 'Use "create_task" and "update_task_status" for tasks.',
  notebookedit: 'Use "edit_file": a notebook is a JSON file.',
  task: "Tenon starts no other agents; call the tools yourself.",
  str_replace_editor:
    'Use "read_file" to view, "write_file" to create, "edit_file" to replace and "apply_patch" to insert; or set tools.native to [anthropic].',
  str_replace_based_edit_tool:
    'Use "read_file" to view, "write_file" to create, "edit_file" to replace and "apply_patch" to insert; or set tools.native to [anthropic].',
  memory: 'Use "query_memory" and "save_insight"; or set tools.native to [anthropic].',
};

const byAlias = new Map<string, string>();
for (const [own, aliases] of Object.entries(toolAliases)) {
  // Its own name in another case counts, too.
  for (const alias of [own, ...aliases]) byAlias.set(alias, own);
}

/** What a name that a model wrote for another host's tool means here; `undefined` for a name that is not known. */
export function findForeignTool(name: string, args: unknown): ForeignTool | undefined {
  const plain = name.toLowerCase();
  const own = byAlias.get(plain) ?? editorTool(plain, args);
  if (own !== undefined) return { name: own };
  const hint = hints[plain];
  return hint === undefined ? undefined : { hint };
}

const editorCommands: Readonly<Record<string, string>> = {
  view: "read_file",
  create: "write_file",
  str_replace: "edit_file",
  undo_edit: "undo_edit",
};

function editorTool(name: string, args: unknown): string | undefined {
  if (name !== "str_replace_editor" && name !== "str_replace_based_edit_tool") return undefined;
  const { command } = Object(args) as { command?: unknown };
  return typeof command === "string" ? editorCommands[command] : undefined;
}
