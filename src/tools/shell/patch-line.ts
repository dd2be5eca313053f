import path from "node:path";
import { ToolValidationError } from "../../contract/errors.js";
import type { MeantCall } from "../../contract/tool.js";
import { beginsWithPatch, readPatchCommand } from "../../text/patch-command.js";
import type { DiffResult } from "../file/plan-diff.js";
import type { ShellResult } from "./shell-result.js";

/** A shell line that only applies a patch means `apply_patch`: no shell has such a command. */
export function meansPatch(call: { command: string; cwd?: string | undefined }): MeantCall | undefined {
  if (!beginsWithPatch(call.command)) return undefined;
  const found = readPatchCommand(call.command);
  if (found === undefined) throw notOnlyPatch();
  const { folder: entered = "." } = found;
  const folder = path.isAbsolute(entered) ? entered : path.join(call.cwd ?? ".", entered);
  return {
    name: "apply_patch",
    arguments: { patch: found.patch, ...(folder !== "." && { cwd: folder }) },
    answer: (result) => toShellResult(call.command, result as DiffResult),
  };
}

function toShellResult(command: string, { files }: DiffResult): ShellResult {
  const lines = files.map(({ action, path: name, from }) =>
    action === "rename" ? `M ${from} -> ${name}` : `${letters[action]} ${name}`,
  );
  return {
    command,
    stdout: `Success. Updated the following files:\n${lines.join("\n")}\n`,
    stderr: "",
    exitCode: 0,
    timedOut: false,
    truncated: false,
    sandboxed: false,
    notes: ["The line was carried out by the tool apply_patch, so undo_edit can undo it."],
  };
}

const letters = { modify: "M", create: "A", delete: "D", rename: "M", copy: "A" };

function notOnlyPatch(): ToolValidationError {
  return new ToolValidationError(
    "apply_patch can only be the whole command line: apply_patch <<'EOF' … EOF.",
    {
      code: "VALUE_INVALID",
      hint: "End the heredoc with its mark on a line of its own and nothing after it, or call the tool apply_patch with the patch. Run other commands in a call of their own.",
      details: { argument: "command" },
    },
  );
}
