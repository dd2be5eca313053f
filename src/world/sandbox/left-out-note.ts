import type { CommandPaths } from "../../contract/session.js";
import { relativeTo, isWithin } from "../files/path-text.js";
import type { GuardedPath } from "./walk-guarded.js";

const maxShown = 5;

/** A message about paths that were hidden because they need consent, if the command could have read them. */
export function leftOutNote(
  consent: readonly GuardedPath[],
  paths: CommandPaths | undefined,
  workspace: string,
): string[] {
  const bases = paths?.unasked?.bases ?? [workspace];
  const met = consent.filter(({ path }) =>
    bases.some((base) => isWithin(path, base) || isWithin(base, path)),
  );
  if (met.length === 0) return [];
  const shown = met
    .slice(0, maxShown)
    .map(({ path }) => (isWithin(path, workspace) ? relativeTo(path, workspace) : path));
  const more = met.length > maxShown ? `, and ${met.length - maxShown} more` : "";
  const count =
    met.length === 1 ? "1 path that needs consent was" : `${met.length} paths that need consent were`;
  return [`${count} left out: ${shown.join(", ")}${more}. Name a path in the command to ask for it.`];
}
