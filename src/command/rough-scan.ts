import { denyCommand } from "./judge/deny-command.js";
import { nothingFed, type Scope } from "./scope.js";
import type { Place } from "./walk.js";
import { knownField } from "./words/field.js";

const maxCommandLength = 4096;

/**
 * Look for what is denied in text that is too long or too deep to be parsed: whatever stands between
 * two separators is taken as a command. No limit of the parser may hide what must not run.
 */
export function roughDenial(text: string, scope: Scope, place: Place): string | undefined {
  const loose: Scope = { ...scope, strict: false };
  for (const [part] of text.matchAll(/[^;&|(){}`\n]+/g)) {
    const words = part
      .slice(0, maxCommandLength)
      .split(/[ \t]+/)
      .filter((word) => word !== "" && word !== "$" && word !== "!");
    if (words.length === 0) continue;
    const fields = words.map((word) => knownField(word.replaceAll(/["'\\]/g, "")));
    const denied = denyCommand(
      { fields, assignments: [], redirections: [], stdin: nothingFed },
      loose,
      place,
    );
    if (denied !== undefined) return denied;
  }
  return undefined;
}
