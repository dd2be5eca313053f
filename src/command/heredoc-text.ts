import type { HereDoc } from "unbash";
import type { Scope } from "./scope.js";
import type { Walk } from "./walk.js";
import { knownField, type Field } from "./words/field.js";
import { resolveParts } from "./words/resolve-word.js";

/** The text of a here-document as the command reads it. */
export function heredocText({ body, delimiter, operator }: HereDoc, scope: Scope, walk: Walk): Field {
  const strip = (text: string): string => (operator === "<<-" ? text.replaceAll(/^\t+/gm, "") : text);
  if (delimiter?.quoted === true) return knownField(strip(body.text));
  if (body.parts !== undefined) {
    const field = resolveParts(body.parts, scope, walk);
    return { ...field, text: strip(field.text) };
  }
  return knownField(
    strip(body.text).replaceAll(/\\([\\$`]|\n)/g, (_, letter: string) => (letter === "\n" ? "" : letter)),
  );
}
