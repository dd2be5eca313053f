import type { Scope } from "../scope.js";
import type { ShellContext, ResolvedRedirection } from "../walk.js";
import { absolutePath } from "../words/paths.js";
import { likely } from "./judged-command.js";
import { credentialsAt } from "./credentials.js";
import { deniedWrite } from "./denied-writes.js";

/** Why a redirection must never happen, whatever the command. */
export function denyRedirection(
  { op, field }: Pick<ResolvedRedirection, "op" | "field">,
  scope: Scope,
  place: ShellContext,
): string | undefined {
  if (op.startsWith("<<") || /^(?:\d+-?|-)$/.test(field.text)) return undefined;
  const cwd = scope.likelyCwd;
  if (op === "<") {
    const secrets = credentialsAt(field, cwd, place);
    return secrets && `it reads ${secrets}`;
  }
  const text = likely(field);
  const denied = text === "" ? undefined : deniedWrite(absolutePath(text, cwd), place);
  return denied && `it writes to ${denied}`;
}
