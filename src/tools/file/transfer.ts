import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import type { FileMutation } from "../../contract/ports/files.js";
import { checkCreatable, checkPath, requireUnchanged, standsAt, type Standing } from "./layers.js";
import { existsAlready, fileMissing } from "./layer-errors.js";

/** From one path to another. */
export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
}

/** What a move or copy takes. */
export const transferInput = z.object({
  from: z.string().min(1).describe("What is there now, relative to the workspace or absolute."),
  to: z.string().min(1).describe("The path that it shall have; missing directories are made."),
  overwrite: z.boolean().default(false).describe("Replace a file that is at that path."),
});

/** Layer 2 for both paths. */
export function checkPaths(ctx: ToolContext, { from, to }: Transfer, access: "read" | "write"): void {
  checkPath(ctx, from, access);
  checkPath(ctx, to);
}

/** Layers 4, 5 and 8 for both ends; what is moved or copied. */
export async function requireTransfer(
  ctx: ToolContext,
  { from, to, overwrite }: Transfer,
): Promise<Standing> {
  const source = await standsAt(ctx, from);
  const target = await standsAt(ctx, to);
  if (target === null) await checkCreatable(ctx, to);
  if (source === null) throw fileMissing(from);
  if (target !== null && !overwrite) throw existsAlready(to);
  if (source.stat !== undefined) await requireUnchanged(ctx, from, source.stat);
  if (target?.stat !== undefined) await requireUnchanged(ctx, to, target.stat);
  return source;
}

/** The mutation, bound to what was judged. */
export function toMutation(
  op: "move" | "copy",
  { from, to, overwrite }: Transfer,
  source: Standing,
): FileMutation {
  // A move takes the link itself, a copy what it leads to.
  const stat = op === "copy" || source.type === "file" ? source.stat : undefined;
  return { op, from, to, overwrite, ...(stat?.type === "file" && { ifIdentity: stat.identity }) };
}
