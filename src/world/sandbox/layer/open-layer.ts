import { lstatSync } from "node:fs";
import { messageOf } from "../../../contract/message-of.js";
import { isWithin } from "../../files/path-text.js";
import { measureDisk } from "../../processes/measure-disk.js";
import type { ActiveSandbox } from "../active-sandbox.js";
import type { SandboxCommand } from "../sandbox-types.js";
import type { StartedLayer } from "./layers.js";

/** A layer, or why the command runs directly on the workspace; neither if no layer is wanted. */
export interface LayerChoice {
  readonly started?: StartedLayer;
  readonly direct?: string;
  /** Call it if the command succeeds. */
  readonly succeeded?: () => void;
}

/** Choose whether the command runs on a layer. */
export async function openLayer(
  { layers, view }: Pick<ActiveSandbox, "layers" | "view">,
  command: SandboxCommand,
): Promise<LayerChoice> {
  const { layer: origin, readOnly, background, pty, renames = [] } = command;
  if (origin === undefined || readOnly) return {};
  if (!layers.limits.enabled) return { direct: 'layers are turned off by "sandbox.layers.enabled"' };
  if (background === true) return { direct: "background jobs change the workspace while they run" };
  if (pty === true) return { direct: "it runs in a pseudo-terminal" };
  const [linked] = view.linkedGit;
  if (linked !== undefined)
    return { direct: `the git folder of this work tree is outside of the workspace, at ${linked}` };
  try {
    const copies = renames.filter((path) => path !== view.workspace && isFolderIn(path, view.workspace));
    const direct = (await layers.directReason(origin.command)) ?? (await tooLarge(copies));
    if (direct === undefined) return { started: layers.begin(origin, copies) };
    return { direct, succeeded: () => layers.succeededDirectly(origin.command) };
  } catch (error) {
    return { direct: `no layer could be created for its changes (${messageOf(error)})` };
  }
}

function isFolderIn(path: string, workspace: string): boolean {
  return isWithin(path, workspace) && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A larger folder takes too long to copy. */
const maxCopiedBytes = 256 * 1024 * 1024;

async function tooLarge(folders: readonly string[]): Promise<string | undefined> {
  if (folders.length === 0) return undefined;
  const bytes = await measureDisk({ bytes: maxCopiedBytes, own: folders, shared: [] }, 0, []);
  if (bytes !== undefined && bytes <= maxCopiedBytes) return undefined;
  return `it renames ${folders.join(", ")}, which is too large to be copied first`;
}
