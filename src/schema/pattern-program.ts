import { readPattern, type Assertion, type PatternNode } from "./pattern-tree.js";

/** One step of a pattern's program; `next` and the like are indexes into the program. */
export type Step =
  | { readonly op: "char"; readonly accepts: (char: string) => boolean; readonly next: number }
  | { readonly op: "split"; readonly next: number; readonly other: number }
  | { readonly op: Assertion; readonly next: number }
  | {
      readonly op: "look";
      readonly inner: number;
      readonly behind: boolean;
      readonly negate: boolean;
      readonly next: number;
    }
  | { readonly op: "match" };

/** A pattern as a graph of steps, walked by `linear-pattern.ts`. */
export interface Program {
  readonly steps: readonly Step[];
  readonly entry: number;
  /** Characters are code points, as with the `u` flag, or else UTF-16 units. */
  readonly unicode: boolean;
}

/** Translate a regular expression into steps. Throws on bad syntax, back-references and huge repetitions. */
export function toProgram(source: string, ignoreCase = false): Program {
  const { root, unicode } = readPattern(source, ignoreCase);
  const builder: Builder = { steps: [], built: 0 };
  const last = emit(builder, { op: "match" });
  return { entry: build(builder, root, last), steps: builder.steps, unicode };
}

interface Builder {
  readonly steps: Step[];
  built: number;
}

const maxSteps = 20_000;

/** Emit the steps of a node, given the step that follows it; returns its first step. */
function build(builder: Builder, node: PatternNode, next: number): number {
  // Counted apart from the steps, because a repeated empty group unfolds without emitting any.
  if (++builder.built > maxSteps * 4) throw new Error("the pattern repeats too often");
  switch (node.type) {
    case "char":
      return emit(builder, { op: "char", accepts: node.accepts, next });
    case "assert":
      return emit(builder, { op: node.op, next });
    case "sequence":
      return node.parts.reduceRight((after, part) => build(builder, part, after), next);
    case "choice":
      return node.parts
        .map((part) => build(builder, part, next))
        .reduceRight((other, first) => emit(builder, { op: "split", next: first, other }));
    case "look": {
      const inner = build(builder, node.body, emit(builder, { op: "match" }));
      return emit(builder, { op: "look", inner, behind: node.behind, negate: node.negate, next });
    }
    default:
      return buildRepeat(builder, node, next);
  }
}

function buildRepeat(builder: Builder, node: Extract<PatternNode, { type: "repeat" }>, next: number): number {
  const { body, min, max } = node;
  let entry = next;
  if (max === Infinity) {
    entry = emit(builder, { op: "split", next, other: next });
    const loop = build(builder, body, entry);
    builder.steps[entry] = { op: "split", next: loop, other: next };
  }
  for (let left = max === Infinity ? 0 : max - min; left > 0; left--) {
    entry = emit(builder, { op: "split", next: build(builder, body, entry), other: next });
  }
  for (let count = 0; count < min; count++) entry = build(builder, body, entry);
  return entry;
}

function emit(builder: Builder, step: Step): number {
  if (builder.steps.length >= maxSteps) throw new Error("the pattern unfolds into too many steps");
  return builder.steps.push(step) - 1;
}
