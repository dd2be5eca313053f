import type { Scope } from "../scope.js";
import type { Place, ResolvedRedirection } from "../walk.js";
import { insidePaths } from "./read-only.js";

/**
 * Whether a redirection keeps to the strict fragment: `/dev/null`, copies of descriptors, text that stands in the line
 * itself, and input from a file of the workspace. No program that only reads takes its input for anything but data.
 */
export function isStrict(
  { op, field, fd }: Pick<ResolvedRedirection, "op" | "field" | "fd">,
  { cwds }: Pick<Scope, "cwds">,
  place: Place,
): boolean {
  if (!field.known || !field.plain || field.pattern !== undefined) return false;
  if (op === ">&" || op === "<&")
    return /^(?:\d{1,3}-?|-)$/.test(field.text) || (op === ">&" && field.text === "/dev/null");
  if (op.startsWith("<<")) return isStdin(fd) && !field.text.includes("\0");
  if (field.text === "/dev/null") return true;
  if (op !== "<" || !isStdin(fd) || cwds === undefined || field.text === "-") return false;
  return insidePaths(field, { args: [], cwds, place }) !== undefined;
}

function isStdin(fd: string | undefined): boolean {
  return fd === undefined || fd === "0";
}
