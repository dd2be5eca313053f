import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { CommitReport, LayerView } from "../../contract/ports/layers.js";
import type { Processes } from "../../contract/ports/processes.js";
import type { HeldView } from "../../contract/ports/quarantine.js";

/** Selects changes of a call that are not in the workspace. */
export interface HeldQuery {
  readonly call_id: string;
  readonly paths?: readonly string[] | undefined;
}

/** Changes of a call that are not in the workspace. */
export interface HeldChanges {
  /** Moved out of the workspace, because the command ran directly on it. */
  readonly views: readonly HeldView[];
  /** Collected in the layer of the command. */
  readonly layers: readonly SelectedLayer[];
}

/** A layer with the selected paths of it. */
export interface SelectedLayer {
  readonly layer: LayerView;
  /** @default all */
  readonly paths: readonly string[] | undefined;
}

/** The changes of a call that wait, or the selected ones; throws if one of them does not exist. */
export async function heldItems(
  { quarantine, layers }: Pick<Processes, "quarantine" | "layers">,
  { call_id, paths }: HeldQuery,
): Promise<HeldChanges> {
  const items = await quarantine.list({ callId: call_id });
  const views = await Promise.all(items.map(({ id }) => quarantine.show(id)));
  const waiting = await layers.list({ callId: call_id });
  const shown = await Promise.all(waiting.map(({ id }) => layers.show(id)));
  const names = [
    ...views.map(({ shownPath }) => shownPath),
    ...shown.flatMap(({ changes }) => changes.map(({ path }) => path)),
  ];
  if (names.length === 0) {
    throw new ToolResourceNotFoundError(`No held back changes found for call "${call_id.slice(0, 64)}".`, {
      hint: "The call_id is in the first line of the command's result. Changes that were approved or discarded are no longer held back.",
    });
  }
  const wanted = paths?.map(bare);
  const missing = wanted?.find((path) => !isKnown(path, views, shown));
  if (missing !== undefined) {
    throw new ToolResourceNotFoundError(
      `"${missing.slice(0, 256)}" not found among the held back changes of this call.`,
      { hint: `Held back: ${names.slice(0, 20).join(", ")}.` },
    );
  }
  return {
    views: wanted === undefined ? views : views.filter((view) => wanted.some((path) => isView(view, path))),
    layers: await select(shown, wanted, layers),
  };
}

async function select(
  shown: readonly LayerView[],
  wanted: readonly string[] | undefined,
  layers: Processes["layers"],
): Promise<SelectedLayer[]> {
  if (wanted === undefined) return shown.map((layer) => ({ layer, paths: undefined }));
  const parts = await Promise.all(shown.map(({ id }) => layers.show(id, wanted)));
  return parts.filter(({ changes }) => changes.length > 0).map((layer) => ({ layer, paths: wanted }));
}

function isKnown(path: string, views: readonly HeldView[], layers: readonly LayerView[]): boolean {
  if (views.some((view) => isView(view, path))) return true;
  return layers.some(({ changes }) =>
    changes.some((change) => covers(path, bare(change.path)) || covers(bare(change.path), path)),
  );
}

/** Whether a path is another one, or a folder that contains it. */
export function covers(folder: string, path: string): boolean {
  return folder === path || path.startsWith(`${folder}/`);
}

/** Without `./` at the start and `/` at the end. */
export function bare(path: string): string {
  return path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
}

function isView({ path, shownPath }: HeldView, text: string): boolean {
  return text === shownPath || text === path;
}

/** Several reports as one. */
export function joinReports(reports: readonly CommitReport[]): Omit<CommitReport, "committed" | "diff"> {
  return {
    changes: reports.flatMap(({ changes }) => changes),
    heldBack: reports.flatMap(({ heldBack }) => heldBack),
    conflicts: reports.flatMap(({ conflicts }) => conflicts),
  };
}
