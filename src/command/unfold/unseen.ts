import { isUnseen, type Taint } from "../words/field.js";

/** Why text from such a place must not be run, if it must not. */
export function unseen(taint: Taint | undefined): string | undefined {
  if (!isUnseen(taint)) return undefined;
  return taint === "fetched"
    ? "it runs code from another machine that nobody has seen"
    : "it runs decoded code that nobody has seen";
}
