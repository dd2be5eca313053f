import { stripVTControlCharacters } from "node:util";
import { isConfirmedOrEnds, requireTerminal } from "../confirm.js";
import type { UndoneFile, UndoPreview } from "../../contract/ports/journal.js";
import type { UndoTarget } from "../../runtime/journal/undo-target.js";
import { UsageError, type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { undoerOf, type Undoer } from "../fleet-undo.js";
import { aloneOrInFleet, withFleetOptions } from "../open-fleet.js";
import { colorsFor, table, writeJson, writeResult, paintDiff } from "../output.js";
import { parseTime } from "../parse-time.js";
import { maxUnpagedText } from "../../text/approval-text.js";
import { toVisibleLine } from "../../text/visible-text.js";

/** `tenon undo`: undo file changes, after a preview. */
export const addUndo: AddCommand = (program, terminal) => {
  withFleetOptions(addCommand(program, "undo", "Undo file changes"))
    .option("--call <id>", "all changes of one call")
    .option("--task <id>", "all changes of a task")
    .option("--file <path>", "the last change of one file")
    .option("--since <time>", 'all changes since a time: "2h", "3d" or a date')
    .option("--last", "the last call that changed a file")
    .option("--preview", "show what would be undone without changing anything")
    .option("--force", "undo even if the same lines were changed since; that version stays in the journal")
    .option("-y, --yes", "do not ask for confirmation")
    .action((flags: UndoFlags) =>
      aloneOrInFleet(terminal, flags, {
        alone: ({ tenon }) => undo(tenon, terminal, flags),
        inFleet: async (open) => undo(await undoerOf(open, toTarget(flags)), terminal, flags),
      }),
    );
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

async function undo(tenon: Undoer, terminal: Terminal, flags: UndoFlags): Promise<void> {
  const what = toTarget(flags);
  const options = { force: flags.force };
  const preview = await tenon.previewUndo(what, options);
  if (flags.preview === true)
    return writeResult({ terminal, flags }, preview, () =>
      describePreview(terminal, preview, terminal.stdout),
    );
  if (flags.yes !== true) {
    requireTerminal(terminal, flags, "undo, or --preview to see what would happen");
    if (!(await isAgreed(terminal, preview))) return;
  }
  const files = await tenon.undo(what, options);
  if (flags.json === true) writeJson(terminal, { files });
  else for (const file of files) terminal.stdout.write(`${outcomeOf(file)}\n`);
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
  throw new UsageError("Specify what to undo: one of --call, --task, --file, --since, --last.");
}

function describePreview(
  terminal: Terminal,
  { files, diff }: UndoPreview,
  stream: Terminal["stdout"],
): string {
  const colors = colorsFor(stream, terminal.env);
  const rows = files.map((file) => [toVisibleLine(file.path), `${sizesOf(file)}${noteOf(file)}`]);
  return `${table(rows)}\n${paintDiff(diff, colors).trimEnd()}`;
}

function outcomeOf(file: UndoneFile): string {
  const { path, notRestored } = file;
  return `${notRestored === undefined ? "Undone" : "Not undone"}: ${toVisibleLine(path)}${noteOf(file)}`;
}

/** Nothing for a folder, which has no size. */
function sizesOf({ previousContentLen: before, restoredContentLen: after }: UndoneFile): string {
  return before === 0 && after === 0 ? "" : `${before} → ${after} bytes`;
}

/** A note about a file that was changed since, or that cannot be restored. */
function noteOf({ merged, forced, notRestored }: UndoneFile): string {
  if (notRestored !== undefined) return ` (${notRestored})`;
  if (forced === true) return " (replacing later changes)";
  return merged === true ? " (merged with later changes)" : "";
}

async function isAgreed(terminal: Terminal, preview: UndoPreview): Promise<boolean> {
  const shown = describePreview(terminal, preview, terminal.stderr);
  // A long preview is opened in a pager by the question itself.
  const long = stripVTControlCharacters(shown).length > maxUnpagedText;
  if (!long) terminal.stderr.write(`${shown}\n`);
  const raw = [...preview.files.map((file) => file.path + noteOf(file)), preview.diff].join("\n");
  return isConfirmedOrEnds(terminal, "Undo these changes?", long ? raw : undefined);
}
