import type { ToolDescription } from "../contract/tool.js";

/** Which tool suits which task; the first visible tool of each line is the advice. */
const guide: readonly (readonly [task: string, ...tools: string[]])[] = [
  ["Find code, definitions or text", "code_query"],
  ["Read a file", "read_file"],
  ["Get an overview of a large file", "read_file_truncated"],
  ["Change part of a file (read it first)", "edit_file"],
  ["Change several files at once", "apply_diff", "apply_patch"],
  ["Create or replace a whole file", "write_file"],
  ["List files and folders", "list_files"],
  ["Move, copy or delete files", "move_file", "copy_file", "delete_file"],
  ["Take back a change of a file", "undo_edit"],
  ["Run a command, a build or tests", "shell_exec"],
  ["See the output of a background command", "shell_output"],
  ["Read the rest of a long result", "read_result"],
  ["Ask the person something", "ask_user"],
  ["Get consent for a step", "request_confirmation"],
  ["Keep code for later", "snippet_save"],
  ["Find code that was kept", "snippet_list"],
  ["Remember something across tasks", "remember", "save_memory"],
  ["Read a web page", "web_fetch"],
  ["Search the web", "web_search"],
  ["Call a web API", "http_request"],
  ["Plan work in steps", "create_task"],
  ["Know the time", "current_time"],
  ["Find a tool by what it does", "tool_search"],
];

/** The lines of the guide that the visible tools can answer, each with its tool. */
export function selectTools(tools: readonly ToolDescription[]): (readonly [task: string, tool: string])[] {
  const byName = new Map<string, string>();
  for (const { name, aliases } of tools) {
    byName.set(name, name);
    for (const alias of aliases) if (!byName.has(alias)) byName.set(alias, name);
  }
  return guide.flatMap(([task, ...names]) => {
    const tool = names.map((name) => byName.get(name)).find((name) => name !== undefined);
    return tool === undefined ? [] : [[task, tool] as const];
  });
}
