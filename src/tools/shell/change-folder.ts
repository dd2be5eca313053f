import { resolve } from "node:path";
import { shellQuote } from "../../command/shell-quote.js";
import type { ToolContext } from "../../contract/context.js";
import type { CommandResult } from "../../contract/ports/processes.js";

/** The line with one more that prints where it has led to, as the last line of the output. */
export function reportingFolder(line: string, ctx: Pick<ToolContext, "files" | "processes">): string {
  // The empty line ends a word or a comment that the line may end with.
  return `OLDPWD=${shellQuote(previousFolder(ctx))}
${line}

tenon_code=$?; [ "$tenon_code" = 0 ] || exit "$tenon_code"; pwd -P`;
}

/** Where `cd -` leads to. */
function previousFolder({ files, processes }: Pick<ToolContext, "files" | "processes">): string {
  return resolve(files.root, processes.folder.previous ?? ".");
}

/** Remember where a line that is only `cd` has led to; later commands of the session start there. */
export function takeFolder(
  result: CommandResult,
  { files, processes }: Pick<ToolContext, "files" | "processes">,
): CommandResult {
  if (result.exitCode !== 0) return result;
  const lines = result.stdout.text.replace(/\n$/, "").split("\n");
  const folder = lines.pop() ?? "";
  const shown = { ...result, stdout: { ...result.stdout, text: lines.map((line) => `${line}\n`).join("") } };
  const verdict = files.check(folder, "read");
  if (!verdict.allowed) {
    const note = `Later commands do not start in ${folder}, but where they did before: ${verdict.reason} Use "cd ${folder} && …" in each line.`;
    return { ...shown, warnings: [...shown.warnings, note] };
  }
  const path = toRelative(folder, files.root);
  if (path !== processes.folder.path) processes.folder.enter(path);
  const note = `Later commands of this session start in ${path ?? "the workspace"}.`;
  return { ...shown, cwd: folder, warnings: [...shown.warnings, note] };
}

/** A folder as people name it: relative to the workspace, and `undefined` for the workspace itself. */
export function toRelative(folder: string, root: string): string | undefined {
  if (folder === root) return undefined;
  return folder.startsWith(`${root}/`) ? folder.slice(root.length + 1) : folder;
}
