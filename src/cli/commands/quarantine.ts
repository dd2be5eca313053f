import type { HeldItem, HeldView } from "../../contract/ports/quarantine.js";
import { ago } from "../ago.js";
import {
  exitCodes,
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";
import { colorsFor, table, writeJson } from "../output.js";
import { createTerminalBackend } from "../terminal-backend.js";

interface QuarantineFlags extends CommonFlags {
  readonly call?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** `tenon quarantine`: look at what was held back from commands, let it through or discard it. */
export const addQuarantine: AddCommand = (program, terminal) => {
  const quarantine = program
    .command("quarantine")
    .description("Changes of commands that were held back, because other programs would run them");
  withCommonFlags(quarantine.command("list").description("List what is held back"))
    .option("--call <id>", "only of one call")
    .action((flags: QuarantineFlags) => withTenon(terminal, flags, (open) => list(open, flags)));
  withCommonFlags(quarantine.command("show <id>").description("Show one change with its contents")).action(
    (id: string, flags: QuarantineFlags) => withTenon(terminal, flags, (open) => show(open, id, flags)),
  );
  withCommonFlags(quarantine.command("restore [ids...]").description("Put changes into the workspace"))
    .option("--call <id>", "all of one call")
    .option("-y, --yes", "do not ask")
    .action((ids: string[], flags: QuarantineFlags) =>
      withTenon(terminal, flags, (open) => restore(open, ids, flags)),
    );
  withCommonFlags(quarantine.command("discard [ids...]").description("Forget changes"))
    .option("--call <id>", "all of one call")
    .option("--all", "all that is held back")
    .action((ids: string[], flags: QuarantineFlags) =>
      withTenon(terminal, flags, (open) => discard(open, ids, flags)),
    );
};

async function list({ tenon, terminal }: OpenTenon, flags: QuarantineFlags): Promise<void> {
  const items = await tenon.quarantine.list({ callId: flags.call });
  if (flags.json === true) return writeJson(terminal, items);
  if (items.length === 0) return void terminal.stdout.write("Nothing is held back.\n");
  const rows = items.map((item) => [
    item.id,
    ago(item.at, Date.now()),
    item.change,
    toVisibleLine(item.path),
    toVisibleLine(item.reason),
  ]);
  terminal.stdout.write(`${table(rows)}\n`);
}

async function show({ tenon, terminal }: OpenTenon, id: string, flags: QuarantineFlags): Promise<void> {
  const view = await tenon.quarantine.show(id);
  if (flags.json === true) writeJson(terminal, view);
  else terminal.stdout.write(describe(terminal, view, terminal.stdout));
}

async function restore(open: OpenTenon, ids: string[], flags: QuarantineFlags): Promise<void> {
  const { tenon, terminal } = open;
  const chosen = await select(open, ids, flags);
  if (flags.yes !== true) {
    const backend = createTerminalBackend(terminal);
    if (flags.json === true || !backend.available())
      throw new UsageError("Nobody can be asked here: pass --yes to restore.");
    for (const id of chosen)
      terminal.stderr.write(describe(terminal, await tenon.quarantine.show(id), terminal.stderr));
    const message = `Put ${chosen.length === 1 ? "this change" : `these ${chosen.length} changes`} into the workspace?`;
    const answer = await backend.ask({ kind: "confirm", message }, terminal.interrupted);
    if (answer.approved !== true) {
      terminal.exitCode = exitCodes.denied;
      terminal.stderr.write("Nothing was changed.\n");
      return;
    }
  }
  tell(terminal, "Restored", await tenon.quarantine.restore(chosen), flags);
}

async function discard(open: OpenTenon, ids: string[], flags: QuarantineFlags): Promise<void> {
  const chosen = await select(open, ids, flags);
  tell(open.terminal, "Discarded", await open.tenon.quarantine.discard(chosen), flags);
}

async function select({ tenon }: OpenTenon, ids: string[], flags: QuarantineFlags): Promise<string[]> {
  if (ids.length > 0) return ids;
  if (flags.call === undefined && flags.all !== true)
    throw new UsageError(
      "Name the changes by their ids, or a call with --call; tenon quarantine list shows both.",
    );
  const items = await tenon.quarantine.list({ callId: flags.call });
  if (items.length === 0) throw new UsageError("Nothing is held back there.");
  return items.map(({ id }) => id);
}

function tell(terminal: Terminal, what: string, items: readonly HeldItem[], flags: QuarantineFlags): void {
  if (flags.json === true) writeJson(terminal, items);
  else for (const { path } of items) terminal.stdout.write(`${what}: ${toVisibleLine(path)}\n`);
}

function describe(terminal: Terminal, view: HeldView, stream: Terminal["stdout"]): string {
  const colors = colorsFor(stream, terminal.env);
  const lines = view.diff.split("\n").map((line) => {
    const text = toVisibleText(line);
    if (line.startsWith("+")) return colors.green(text);
    return line.startsWith("-") ? colors.red(text) : text;
  });
  const mode = view.kind === "file" ? `, mode ${view.mode.toString(8)}` : "";
  return `${view.id}  ${toVisibleLine(view.shownPath)} (${view.change}${mode}): ${toVisibleLine(view.reason)}\n${lines.join("\n")}\n`;
}
