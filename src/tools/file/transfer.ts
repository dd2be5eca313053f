import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import type { FileMutation } from "../../contract/ports/files.js";
import { checkCreatable, checkPath, requireUnchanged, entryAt, type PathEntry } from "./layers.js";
import { existsAlready, fileMissing } from "./layer-errors.js";

/** What a move or a copy is told: from where to where. */
export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
}

/** The input of a move or copy. */
export const transferInput = z.object({
  from: z.string().min(1).describe("The source, relative to the workspace or absolute."),
  to: z.string().min(1).describe("The destination path; missing directories are created."),
  overwrite: z.boolean().default(false).describe("Replace an existing file at the destination."),
});

/** Layer 2 for both paths. */
export function checkPaths(ctx: ToolContext, { from, to }: Transfer, access: "read" | "write"): void {
  checkPath(ctx, from, access);
  checkPath(ctx, to);
}

/** Layers 4, 5 and 8 for both paths; returns the source. */
export async function requireTransfer(
  ctx: ToolContext,
  { from, to, overwrite }: Transfer,
): Promise<PathEntry> {
  const source = await entryAt(ctx, from);
  const target = await entryAt(ctx, to);
  if (target === null) await checkCreatable(ctx, to);
  if (source === null) throw await fileMissing(ctx, from);
  if (target !== null && !overwrite) throw existsAlready(to);
  if (source.stat !== undefined) await requireUnchanged(ctx, from, source.stat);
  if (target?.stat !== undefined) await requireUnchanged(ctx, to, target.stat);
  return source;
}

/** The mutation; it fails if the source is no longer the one that was checked. */
export function toMutation(
  op: "move" | "copy",
  { from, to, overwrite }: Transfer,
  source: PathEntry,
): FileMutation {
  // A move moves the link itself, a copy copies its target.
  const stat = op === "copy" || source.type === "file" ? source.stat : undefined;
  return { op, from, to, overwrite, ...(stat?.type === "file" && { ifIdentity: stat.identity }) };
}
