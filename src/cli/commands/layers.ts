import { isConfirmedOrEnds, requireTerminal } from "../confirm.js";
import type { LayerView, WaitingChange } from "../../contract/ports/layers.js";
import { toVisibleLine } from "../../text/visible-text.js";
import { ago } from "../ago.js";
import { UsageError, type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { colorsFor, paintDiff, table, writeResult, writeRows } from "../output.js";
import { plural } from "../../text/plural.js";

interface LayerFlags extends CommonFlags {
  readonly call?: string;
  readonly yes?: boolean;
  readonly path?: string[];
}

/** `tenon layers`: review, commit or discard changes of commands that are not in the workspace. */
export const addLayers: AddCommand = (program, terminal) => {
  const layers = program
    .command("layers")
    .description("Review changes of commands that were kept on a layer and not committed");
  addCommand(layers, "list", "List the layers that were kept")
    .option("--call <id>", "only the layer of one call")
    .action((flags: LayerFlags) => withTenon(terminal, flags, (open) => list(open, flags)));
  addCommand(layers, "show <id> [paths...]", "Show the changes of a layer as a diff").action(
    (id: string, paths: string[], flags: LayerFlags) =>
      withTenon(terminal, flags, (open) => showOne(open, id, paths)),
  );
  addCommand(layers, "commit <id> [paths...]", "Commit a layer, or some of its paths, to the workspace")
    .option("-y, --yes", "do not ask for confirmation")
    .action((id: string, paths: string[], flags: LayerFlags) =>
      withTenon(terminal, flags, (open) => commit(open, { id, paths: selected(paths) }, flags)),
    );
  addCommand(layers, "discard <ids...>", "Delete layers with their changes, or some of these")
    .option("--path <paths...>", "only the changes of these paths")
    .action((ids: string[], flags: LayerFlags) =>
      withTenon(terminal, flags, (open) => discard(open, ids, flags.path)),
    );
};

function selected(paths: readonly string[]): readonly string[] | undefined {
  return paths.length === 0 ? undefined : paths;
}

async function list(open: OpenTenon, flags: LayerFlags): Promise<void> {
  const layers = await open.tenon.layers.list({ callId: flags.call });
  const rows = layers.map(({ id, callId, keptAt, entries, command, reason }) => [
    id,
    callId,
    ago(keptAt, Date.now()),
    `${entries} ${entries === 1 ? "entry" : "entries"}`,
    toVisibleLine(command.slice(0, 60)),
    toVisibleLine(reason),
  ]);
  writeRows(open, layers, { rows, none: "No layers." });
}

async function showOne(open: OpenTenon, id: string, paths: readonly string[]): Promise<void> {
  const view = await viewOf(open, id, selected(paths));
  writeResult(open, view, () => describe(open.terminal, view, open.terminal.stdout));
}

async function commit(
  open: OpenTenon,
  { id, paths }: { readonly id: string; readonly paths: readonly string[] | undefined },
  flags: LayerFlags,
): Promise<void> {
  const { tenon, terminal } = open;
  const view = await viewOf(open, id, paths);
  if (flags.yes !== true) {
    requireTerminal(terminal, flags, "commit");
    terminal.stderr.write(`${describe(terminal, view, terminal.stderr)}\n`);
    if (!(await isConfirmedOrEnds(terminal, "Commit these changes to the workspace?"))) return;
  }
  const report = await tenon.layers.commit(id, paths, view.seenNs);
  const left = [...report.heldBack, ...report.conflicts];
  const isLeft = (path: string): boolean => left.some((each) => each.path === path.replace(/\/$/, ""));
  const lines = [
    ...view.changes
      .filter(({ path }) => !isLeft(path))
      .map(({ path }) => `Committed: ${toVisibleLine(path)}`),
    ...left.map(({ path, reason }) => `Not committed: ${toVisibleLine(path)} (${toVisibleLine(reason)})`),
  ];
  writeResult(open, report, () => lines.join("\n"));
}

async function discard(
  open: OpenTenon,
  ids: readonly string[],
  paths: readonly string[] | undefined,
): Promise<void> {
  const discarded: string[] = [];
  for (const id of ids) {
    const view = paths && (await viewOf(open, id, paths));
    await open.tenon.layers.discard(id, paths);
    discarded.push(...(view?.changes.map(({ path }) => path) ?? [id]));
  }
  writeResult(open, ids, () => discarded.map((each) => `Discarded: ${toVisibleLine(each)}`).join("\n"));
}

/** What a layer would change, which must be something. */
async function viewOf(
  { tenon }: OpenTenon,
  id: string,
  paths: readonly string[] | undefined,
): Promise<LayerView> {
  const view = await tenon.layers.show(id, paths);
  if (view.changes.length > 0) return view;
  throw new UsageError(`The layer has no changes${paths === undefined ? "" : " at these paths"}.`);
}

function describe(terminal: Terminal, view: LayerView, stream: Terminal["stdout"]): string {
  const heading = `${view.id}  ${toVisibleLine(view.command)}: ${toVisibleLine(view.reason)}`;
  const diff = paintDiff(view.diff, colorsFor(stream, terminal.env));
  return [heading, table(view.changes.map(toRow)), diff].join("\n");
}

function toRow({ path, kind, reason, files }: WaitingChange): string[] {
  const count = files === undefined ? "" : plural(files, "file");
  return [kind, toVisibleLine(path), count, toVisibleLine(reason ?? "")];
}
