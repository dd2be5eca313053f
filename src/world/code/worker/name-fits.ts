import { setImmediate as nextTurn } from "node:timers/promises";
import type { NameFit, NameQuery } from "./messages.js";
import type { Names } from "./names.js";

/** How many similar names are considered. */
const maxNames = 300;

/** The names that fit best by their parts or their letters. */
export async function bestNames(names: Names, nameQuery: NameQuery): Promise<{ id: number; fit: NameFit }[]> {
  const words = nameQuery.name
    .toLowerCase()
    .split(/[^\p{L}\p{N}_$]+/u)
    .filter((word) => word !== "");
  const letters = words.join("");
  if (letters.length < 2) return [];
  const found: { id: number; fit: NameFit; score: number }[] = [];
  let since = performance.now();
  for (let id = 0; id < names.count; id += 1) {
    const text = names.text(id);
    const fit = text.length < letters.length ? undefined : fitOf(text, words, letters);
    if (fit !== undefined) found.push({ id, ...fit });
    if ((id & 1023) !== 0 || performance.now() - since < 10) continue;
    await nextTurn(); // lets other requests run
    since = performance.now();
  }
  return found.sort((one, other) => one.score - other.score).slice(0, maxNames);
}

function fitOf(
  name: string,
  words: readonly string[],
  letters: string,
): { fit: NameFit; score: number } | undefined {
  const lower = name.toLowerCase();
  if (words.every((word) => lower.includes(word))) return { fit: "part", score: name.length };
  const bare = lower.replaceAll("_", "").replaceAll("-", "");
  if (bare.includes(letters.replaceAll("_", ""))) return { fit: "part", score: name.length + 5 };
  if (letters.length < 3) return undefined;
  const gaps = lettersInOrder(name, lower, letters);
  return gaps === undefined ? undefined : { fit: "letters", score: 200 + gaps * 10 + name.length };
}

/** How many jumps the letters take through a name; a jump must lead to where one of its parts begins. */
function lettersInOrder(name: string, lower: string, letters: string): number | undefined {
  let at = 0;
  let jumps = 0;
  for (const letter of letters) {
    if (lower[at] === letter && at > 0) {
      at += 1;
      continue;
    }
    let next = lower.indexOf(letter, at);
    while (next !== -1 && !beginsPart(name, next)) next = lower.indexOf(letter, next + 1);
    if (next === -1) return undefined;
    if (next > at) jumps += 1;
    at = next + 1;
  }
  return jumps;
}

function beginsPart(name: string, at: number): boolean {
  if (at === 0) return true;
  const [before, here] = [name[at - 1]!, name[at]!];
  if (before === "_" || before === "-" || before === "$" || before === ".") return true;
  return here !== here.toLowerCase() && before === before.toLowerCase();
}

/** The longest run of letters and digits: what the scan sees of `valid?` or `operator==`. */
export function coreOf(name: string): string {
  let best = "";
  for (const [run] of name.matchAll(/[\p{L}\p{N}_$]+/gu)) if (run.length > best.length) best = run;
  return best;
}
