import { toProgram, type Program } from "./pattern-program.js";
import type { Assertion } from "./pattern-tree.js";

/** Work that checks may still do; a check that uses it up is refused instead of blocking everybody. */
export interface Budget {
  left: number;
}

/** Thrown where a value is too costly to check. */
export class BudgetSpent extends Error {
  override get name(): string {
    return "BudgetSpent";
  }
}

/** What a regular expression offers to a schema compiler. */
export interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * A stand-in for `RegExp` whose time is bounded whatever the pattern and the text. Patterns in external
 * schemas are hostile input: `^(a+)+$` keeps a backtracking engine busy for years on forty letters.
 *
 * Here a pattern is a graph of steps and each pair (step, place in the text) is walked once at most:
 * whether the rest matches depends on that pair alone, since there are no back-references, so a pair
 * that failed once need not be tried again. That makes the time `steps × length` at the most. Lookarounds
 * are runs of their own and can add a factor; all of it is drawn from the budget of the check.
 */
export function linearPattern(source: string, budget: Budget, ignoreCase = false): Pattern {
  const program = toProgram(source, ignoreCase);
  return {
    test: (text) => matchesAnywhere(program, text, budget),
    toString: () => source,
  };
}

interface Run {
  readonly program: Program;
  readonly chars: readonly string[];
  readonly budget: Budget;
}

function matchesAnywhere(program: Program, text: string, budget: Budget): boolean {
  spend(budget, text.length);
  const run: Run = { program, chars: program.unicode ? Array.from(text) : text.split(""), budget };
  // The pairs that failed from one beginning fail from every later one: one record for all.
  const seen = createSeen(run);
  for (let start = 0; start <= run.chars.length; start++) {
    if (matchesFrom(run, program.entry, { start, seen })) return true;
  }
  return false;
}

interface Attempt {
  readonly start: number;
  /** A bit for each pair that was walked. */
  readonly seen: Uint8Array;
  /** Where a lookbehind must end. */
  readonly end?: number;
}

/** In units of the budget: a million pairs a check, some 50 ms. */
const costOfPair = 4;

const maxPairs = 64 * 1024 * 1024;

function createSeen({ program, chars, budget }: Run): Uint8Array {
  const pairs = program.steps.length * (chars.length + 1);
  if (pairs > maxPairs) throw new BudgetSpent("too long for the pattern");
  spend(budget, pairs >> 6);
  return new Uint8Array((pairs >> 3) + 1);
}

function matchesFrom(run: Run, entry: number, { start, seen, end }: Attempt): boolean {
  const { program, chars, budget } = run;
  const width = chars.length + 1;
  const steps: number[] = [entry];
  const places: number[] = [start];
  for (;;) {
    const index = steps.pop();
    const place = places.pop();
    if (index === undefined || place === undefined) return false;
    const pair = index * width + place;
    const mask = 1 << (pair & 7);
    const byte = seen[pair >> 3] ?? 0;
    if ((byte & mask) !== 0) continue;
    seen[pair >> 3] = byte | mask;
    spend(budget, costOfPair);
    const step = program.steps[index];
    if (step === undefined) continue;
    if (step.op === "match") {
      if (end === undefined || end === place) return true;
      continue;
    }
    if (step.op === "split") {
      steps.push(step.other, step.next);
      places.push(place, place);
      continue;
    }
    if (step.op === "char") {
      const char = chars[place];
      if (char === undefined || !step.accepts(char)) continue;
      steps.push(step.next);
      places.push(place + 1);
      continue;
    }
    const holds = step.op === "look" ? looks(run, step, place) !== step.negate : isAt(step.op, chars, place);
    if (!holds) continue;
    steps.push(step.next);
    places.push(place);
  }
}

function looks(run: Run, step: { readonly inner: number; readonly behind: boolean }, place: number): boolean {
  if (!step.behind) return matchesFrom(run, step.inner, { start: place, seen: createSeen(run) });
  const seen = createSeen(run);
  for (let start = place; start >= 0; start--) {
    if (matchesFrom(run, step.inner, { start, seen, end: place })) return true;
  }
  return false;
}

function isAt(op: Assertion, chars: readonly string[], place: number): boolean {
  if (op === "start") return place === 0;
  if (op === "end") return place === chars.length;
  const boundary = isWord(chars[place - 1]) !== isWord(chars[place]);
  return boundary === (op === "word");
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char);
}

function spend(budget: Budget, amount: number): void {
  budget.left -= amount;
  if (budget.left < 0) throw new BudgetSpent("too much work to check");
}
