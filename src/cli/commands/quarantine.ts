import { isConfirmedOrEnds, requireTerminal } from "../confirm.js";
import type { HeldItem, HeldView } from "../../contract/ports/quarantine.js";
import { ago } from "../ago.js";
import { UsageError, type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { toVisibleLine } from "../../text/visible-text.js";
import { colorsFor, writeJson, writeResult, paintDiff, writeRows } from "../output.js";

interface QuarantineFlags extends CommonFlags {
  readonly call?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** `tenon quarantine`: review, apply or discard changes of commands that were held back. */
export const addQuarantine: AddCommand = (program, terminal) => {
  const quarantine = program
    .command("quarantine")
    .description("Review changes of commands that were held back because other programs would run them");
  addCommand(quarantine, "list", "List the held changes")
    .option("--call <id>", "only changes of one call")
    .action((flags: QuarantineFlags) => withTenon(terminal, flags, (open) => list(open, flags)));
  addCommand(quarantine, "show <id>", "Show a change with its contents").action(
    (id: string, flags: QuarantineFlags) => withTenon(terminal, flags, (open) => showOne(open, id)),
  );
  addCommand(quarantine, "restore [ids...]", "Apply changes to the workspace")
    .option("--call <id>", "all changes of one call")
    .option("-y, --yes", "do not ask for confirmation")
    .action((ids: string[], flags: QuarantineFlags) =>
      withTenon(terminal, flags, (open) => restore(open, ids, flags)),
    );
  addCommand(quarantine, "discard [ids...]", "Delete held changes")
    .option("--call <id>", "all changes of one call")
    .option("--all", "all held changes")
    .action((ids: string[], flags: QuarantineFlags) =>
      withTenon(terminal, flags, (open) => discard(open, ids, flags)),
    );
};

async function list(open: OpenTenon, flags: QuarantineFlags): Promise<void> {
  const items = await open.tenon.quarantine.list({ callId: flags.call });
  const rows = items.map((item) => [
    item.id,
    ago(item.at, Date.now()),
    item.change,
    toVisibleLine(item.path),
    toVisibleLine(item.reason),
  ]);
  writeRows(open, items, { rows, none: "No held changes." });
}

async function showOne(open: OpenTenon, id: string): Promise<void> {
  const view = await open.tenon.quarantine.show(id);
  writeResult(open, view, () => describe(open.terminal, view, open.terminal.stdout));
}

async function restore(open: OpenTenon, ids: string[], flags: QuarantineFlags): Promise<void> {
  const { tenon, terminal } = open;
  const chosen = await select(open, ids, flags);
  if (flags.yes !== true) {
    requireTerminal(terminal, flags, "restore");
    for (const id of chosen)
      terminal.stderr.write(`${describe(terminal, await tenon.quarantine.show(id), terminal.stderr)}\n`);
    const message = `Apply ${chosen.length === 1 ? "this change" : `these ${chosen.length} changes`} to the workspace?`;
    if (!(await isConfirmedOrEnds(terminal, message))) return;
  }
  reportItems(terminal, "Restored", await tenon.quarantine.restore(chosen), flags);
}

async function discard(open: OpenTenon, ids: string[], flags: QuarantineFlags): Promise<void> {
  const chosen = await select(open, ids, flags);
  reportItems(open.terminal, "Discarded", await open.tenon.quarantine.discard(chosen), flags);
}

async function select({ tenon }: OpenTenon, ids: string[], flags: QuarantineFlags): Promise<string[]> {
  if (ids.length > 0) return ids;
  if (flags.call === undefined && flags.all !== true)
    throw new UsageError("Specify ids, or a call with --call. Run: tenon quarantine list");
  const items = await tenon.quarantine.list({ callId: flags.call });
  if (items.length === 0) throw new UsageError("No held changes found.");
  return items.map(({ id }) => id);
}

function reportItems(
  terminal: Terminal,
  what: string,
  items: readonly HeldItem[],
  flags: QuarantineFlags,
): void {
  if (flags.json === true) writeJson(terminal, items);
  else for (const { path } of items) terminal.stdout.write(`${what}: ${toVisibleLine(path)}\n`);
}

function describe(terminal: Terminal, view: HeldView, stream: Terminal["stdout"]): string {
  const colors = colorsFor(stream, terminal.env);
  const mode = view.kind === "file" ? `, mode ${view.mode.toString(8)}` : "";
  return `${view.id}  ${toVisibleLine(view.shownPath)} (${view.change}${mode}): ${toVisibleLine(view.reason)}\n${paintDiff(view.diff, colors)}`;
}
