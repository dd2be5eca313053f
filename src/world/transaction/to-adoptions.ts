import { randomBytes } from "node:crypto";
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../files/path-text.js";
import type { Adoption } from "../journal/plan-adoptions.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import type { CommandLayer, EntryState } from "../sandbox/layer/layer-types.js";
import type { JudgedChange } from "./judge-layer.js";

/** The adoptions that commit a change. */
export function toAdoptions(
  layer: CommandLayer,
  { change, heldBelow }: JudgedChange,
  isBulk: (path: string) => boolean,
): Adoption[] {
  const { path, kind, after } = change;
  const now = entryAt(join(layer.workspace, path))?.state;
  if (kind === "removed" && now === undefined) return [];
  const common = {
    path: join(layer.workspace, path),
    text: path,
    before: now === undefined ? null : { dev: now.dev, ino: now.ino },
    bulk: isBulk(path),
  };
  if (kind === "removed") return [{ ...common, op: "delete" }];
  if (kind === "attributes") return [{ ...common, op: "mode", mode: after?.mode }];
  const harmless = harmlessPart(layer, path, heldBelow);
  if (harmless === undefined && heldBelow.size > 0) {
    return withoutHeld(layer, path, { heldBelow, after, isBulk });
  }
  const from = harmless ?? join(layer.upper, path);
  return [{ ...common, op: now === undefined ? "create" : "write", from }];
}

interface PartOfFolder {
  readonly heldBelow: JudgedChange["heldBelow"];
  readonly after: EntryState | undefined;
  readonly isBulk: (path: string) => boolean;
}

/** A new folder without some of its entries: the folder is created, and the others are put into it. */
function withoutHeld(layer: CommandLayer, path: string, part: PartOfFolder): Adoption[] {
  const { heldBelow, after, isBulk } = part;
  const adopt = (at: string, rest: Partial<Adoption>): Adoption => ({
    path: join(layer.workspace, at),
    text: at,
    op: "create",
    before: null,
    bulk: isBulk(at),
    ...rest,
  });
  const adoptions = [adopt(path, { mode: after?.mode ?? 0o777 })];
  for (const name of readdirSync(join(layer.upper, path))) {
    const child = `${path}/${name}`;
    if (heldBelow.has(child)) {
      const from = harmlessPart(layer, child, heldBelow);
      if (from !== undefined) adoptions.push(adopt(child, { from }));
      continue;
    }
    const state = entryAt(join(layer.upper, child))?.state;
    // A name that is not valid UTF-8 cannot be put there by itself; it stays in the layer.
    if (state === undefined) continue;
    const isParted = state.kind === "folder" && [...heldBelow.keys()].some((held) => isWithin(held, child));
    if (isParted) adoptions.push(...withoutHeld(layer, child, { ...part, after: state }));
    else adoptions.push(adopt(child, { from: join(layer.upper, child) }));
  }
  return adoptions;
}

/** Write the harmless part of a held back file beside the layer, from where it can be committed. */
function harmlessPart(
  { upper }: CommandLayer,
  path: string,
  heldBelow: JudgedChange["heldBelow"],
): string | undefined {
  const instead = heldBelow.get(path)?.instead;
  if (instead === undefined) return undefined;
  const place = join(upper, "..", `part-${randomBytes(8).toString("hex")}`);
  writeFileSync(place, instead, { flag: "wx" });
  chmodSync(place, entryAt(join(upper, path))?.state.mode ?? 0o644);
  return place;
}
