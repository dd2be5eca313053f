import { stripVTControlCharacters } from "node:util";
import type { UndoneFile, UndoPreview } from "../../contract/ports/journal.js";
import type { UndoTarget } from "../../runtime/journal/undo-target.js";
import {
  exitCodes,
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { colorsFor, table, writeJson } from "../output.js";
import { parseTime } from "../parse-time.js";
import { createTerminalBackend } from "../terminal-backend.js";
import { maxUnpagedText } from "../../text/approval-text.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon undo`: take file changes back, after a look at what that does. */
export const addUndo: AddCommand = (program, terminal) => {
  withCommonFlags(program.command("undo").description("Take changes of files back"))
    .option("--call <id>", "all that one call changed")
    .option("--task <id>", "all that was changed for a task")
    .option("--file <path>", "the last change of one file")
    .option("--since <time>", 'all since then: "2h", "3d" or a date')
    .option("--last", "the last call that changed something")
    .option("--preview", "only show what would be done")
    .option("--force", "also where others changed the same lines since; their version stays in the journal")
    .option("-y, --yes", "do not ask")
    .action((flags: UndoFlags) => withTenon(terminal, flags, (open) => undo(open, flags)));
};

interface UndoFlags extends CommonFlags {
  readonly call?: string;
  readonly task?: string;
  readonly file?: string;
  readonly since?: string;
  readonly last?: boolean;
  readonly preview?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
}

async function undo({ tenon, terminal }: OpenTenon, flags: UndoFlags): Promise<void> {
  const what = toTarget(flags);
  const options = { force: flags.force };
  const preview = await tenon.previewUndo(what, options);
  if (flags.preview === true) {
    if (flags.json === true) writeJson(terminal, preview);
    else terminal.stdout.write(show(terminal, preview, terminal.stdout));
    return;
  }
  if (flags.yes !== true) {
    if (flags.json === true || !createTerminalBackend(terminal).available())
      throw new UsageError("Nobody can be asked here: pass --yes to undo, or --preview to look.");
    if (!(await isWanted(terminal, preview))) {
      terminal.exitCode = exitCodes.denied;
      terminal.stderr.write("Nothing was changed.\n");
      return;
    }
  }
  const files = await tenon.undo(what, options);
  if (flags.json === true) writeJson(terminal, { files });
  else
    for (const file of files) terminal.stdout.write(`Undone: ${toVisibleLine(file.path)}${noteOf(file)}\n`);
}

function toTarget({ call, task, file, since, last }: UndoFlags): UndoTarget {
  const given: UndoTarget[] = [
    ...(call === undefined ? [] : [{ callId: call }]),
    ...(task === undefined ? [] : [{ taskId: task }]),
    ...(file === undefined ? [] : [{ path: file }]),
    ...(since === undefined ? [] : [{ since: parseTime(since, Date.now(), "--since") }]),
    ...(last === true ? [{ last: true as const }] : []),
  ];
  const [target] = given;
  if (target !== undefined && given.length === 1) return target;
  throw new UsageError("Say what to undo: one of --call, --task, --file, --since, --last.");
}

function show(terminal: Terminal, { files, diff }: UndoPreview, stream: Terminal["stdout"]): string {
  const colors = colorsFor(stream, terminal.env);
  const rows = files.map((file) => [
    toVisibleLine(file.path),
    `${file.previousContentLen} → ${file.restoredContentLen} bytes${noteOf(file)}`,
  ]);
  const lines = diff.split("\n").map((line) => {
    const text = toVisibleText(line);
    if (line.startsWith("+")) return colors.green(text);
    return line.startsWith("-") ? colors.red(text) : text;
  });
  return `${table(rows)}\n${lines.join("\n")}`;
}

/** What a person should know of a file that others had changed since. */
function noteOf({ merged, forced }: UndoneFile): string {
  if (forced === true) return " (replacing what others changed since)";
  return merged === true ? " (merged with what others changed since)" : "";
}

async function isWanted(terminal: Terminal, preview: UndoPreview): Promise<boolean> {
  const message = "Take these changes back?";
  const shown = show(terminal, preview, terminal.stderr);
  // What does not fit on a few screens is opened in a pager by the question itself.
  const long = stripVTControlCharacters(shown).length > maxUnpagedText;
  if (!long) terminal.stderr.write(shown);
  const raw = [...preview.files.map((file) => file.path + noteOf(file)), preview.diff].join("\n");
  const answer = await createTerminalBackend(terminal).ask(
    { kind: "confirm", message, ...(long && { content: raw }) },
    terminal.interrupted,
  );
  return answer.approved === true;
}
