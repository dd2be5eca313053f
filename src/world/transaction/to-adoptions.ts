import { randomBytes } from "node:crypto";
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../files/path-text.js";
import type { Adoption } from "../journal/plan-adoptions.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import { childPath, textBelow } from "../sandbox/layer/layer-path.js";
import type { CommandLayer, EntryState, LayerPath } from "../sandbox/layer/layer-types.js";
import type { JudgedChange } from "./judge-layer.js";
import type { SeenContents } from "./seen-contents.js";

export interface AdoptionOptions {
  /** What is at the path in the workspace. */
  readonly now: EntryState | undefined;
  readonly isBulk: (path: string, isFolder: boolean) => boolean;
  readonly seen: SeenContents;
}

/** The adoptions that commit a change. */
export function toAdoptions(
  layer: CommandLayer,
  { change, heldBelow }: JudgedChange,
  { now, isBulk, seen }: AdoptionOptions,
): Adoption[] {
  const { path, kind, after } = change;
  if (kind === "removed" && now === undefined) return [];
  const common = {
    path: textBelow(layer.workspace, change),
    text: path,
    before: now ?? null,
    bulk: isBulk(path, (now ?? after)?.kind === "folder"),
  };
  if (kind === "removed") return [{ ...common, op: "delete" }];
  if (kind === "attributes") return [{ ...common, op: "mode", mode: after?.mode }];
  const harmless = harmlessPart(layer, path, heldBelow);
  if (harmless === undefined && heldBelow.size > 0) {
    return withoutHeld(layer, change, { heldBelow, after, isBulk });
  }
  const content = after?.kind === "file" ? seen.find(after) : undefined;
  const from = harmless ?? (after && { ...after, path: textBelow(layer.upper, change), content });
  return [{ ...common, op: now === undefined ? "create" : "write", from }];
}

interface PartOfFolder extends Pick<AdoptionOptions, "isBulk"> {
  readonly heldBelow: JudgedChange["heldBelow"];
  readonly after: EntryState | undefined;
}

/** A new folder without some of its entries: the folder is created, and the others are put into it. */
function withoutHeld(layer: CommandLayer, folder: LayerPath, part: PartOfFolder): Adoption[] {
  const { heldBelow, after, isBulk } = part;
  const adopt = (at: LayerPath, rest: Partial<Adoption>): Adoption => ({
    path: textBelow(layer.workspace, at),
    text: at.path,
    op: "create",
    before: null,
    bulk: isBulk(at.path, false),
    ...rest,
  });
  const adoptions = [adopt(folder, { mode: after?.mode ?? 0o777 })];
  for (const name of readdirSync(layer.locate(folder), "buffer")) {
    const child = childPath(folder, name);
    if (heldBelow.has(child.path)) {
      const from = harmlessPart(layer, child.path, heldBelow);
      if (from !== undefined) adoptions.push(adopt(child, { from }));
      continue;
    }
    const state = entryAt(layer.locate(child))?.state;
    if (state === undefined) continue; // committed or discarded meanwhile
    const isParted =
      state.kind === "folder" && [...heldBelow.keys()].some((held) => isWithin(held, child.path));
    if (isParted) adoptions.push(...withoutHeld(layer, child, { ...part, after: state }));
    else adoptions.push(adopt(child, { from: { ...state, path: textBelow(layer.upper, child) } }));
  }
  return adoptions;
}

/** Write the harmless part of a held back file beside the layer, from where it can be committed. */
function harmlessPart(
  { upper }: CommandLayer,
  path: string,
  heldBelow: JudgedChange["heldBelow"],
): Adoption["from"] {
  const instead = heldBelow.get(path)?.instead;
  if (instead === undefined) return undefined;
  const place = join(upper, "..", `part-${randomBytes(8).toString("hex")}`);
  writeFileSync(place, instead, { flag: "wx" });
  chmodSync(place, entryAt(join(upper, path))?.state.mode ?? 0o644);
  const state = entryAt(place)?.state;
  return state && { ...state, path: place };
}
