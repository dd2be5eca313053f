import { coerceText, hasProperty, propertyOf } from "./coerce-text.js";
import { besideArguments } from "./json-calls.js";
import { setOwn } from "../../contract/set-own.js";
import type { FoundCalls, RawCall } from "./raw-call.js";
import { Unreadable, type ProblemCode } from "./reader.js";
import { scanText } from "./scan-text.js";
import { createToolNames, withoutPrefix, type CallableTool, type ToolNames } from "./tool-names.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";

/** A call that a model wrote in its text. */
export interface ParsedToolCall {
  /** The tool's true name where it is known, else as it was written. */
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly id?: string | undefined;
  /** The way of writing that it was read by. */
  readonly dialect: string;
  /** Where it stood in the text. */
  readonly start: number;
  readonly end: number;
}

/** Something that looks like a call and was not taken for one. */
export interface ParseProblem {
  readonly code: ProblemCode;
  /** The problem, in words that can be sent back to the model. */
  readonly message: string;
  /** How the piece begins. */
  readonly excerpt: string;
  readonly start: number;
}

/** The parts of a model's text. */
export interface ParsedText {
  readonly calls: readonly ParsedToolCall[];
  readonly problems: readonly ParseProblem[];
  /** The text without its calls and without what the model thought. */
  readonly text: string;
}

/** How calls are read from a text. */
export interface ParseOptions {
  /** The tools that can be called: their names, and schemas to give texts between tags a type. */
  readonly tools?: readonly CallableTool[] | undefined;
  /** Calls beyond this many are a problem, not calls. @default 128 */
  readonly maxCalls?: number | undefined;
  /**
   * Run calls in code fences that stand in prose. Set it if your prompt asks for calls in fences; by default such a
   * fence is an example, and only fences that are the whole answer are calls. @default false
   */
  readonly fences?: boolean | undefined;
}

const optionNames: KeysOf<ParseOptions> = { tools: true, maxCalls: true, fences: true };

const maxProblems = 32;

/**
 * Read the tool calls in a model's text, in whatever way the model writes them. What is cut off or can be read
 * in two ways is reported, never guessed at; quoted examples are left alone. Takes linear time on any text.
 *
 * @example
 * const { calls, problems, text } = parseToolCalls(answer, { tools });
 */
export function parseToolCalls(text: string, options: ParseOptions = {}): ParsedText {
  checkKeys(options, optionNames, "parseToolCalls");
  const names = createToolNames(options.tools);
  const maxCalls = options.maxCalls ?? 128;
  const calls: ParsedToolCall[] = [];
  const problems: ParseProblem[] = [];
  const report = (code: ProblemCode, message: string, start: number): void => {
    if (problems.length >= maxProblems) return;
    problems.push({ code, message, start, excerpt: text.slice(start, start + 80) });
  };
  const scanned = scanText(text, { ...names, fences: options.fences === true });
  for (const found of scanned.found) {
    if (found.problem !== undefined) report(found.problem.code, found.problem.message, found.start);
    for (const raw of found.calls) {
      if (calls.length === maxCalls) {
        report("limit", `The text has more than ${maxCalls} calls; the others were not taken.`, found.start);
        return { calls, problems, text: scanned.text };
      }
      try {
        calls.push(toCall(raw, names, found));
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        report(error.code, error.message, found.start);
      }
    }
  }
  return { calls, problems, text: scanned.text };
}

function toCall(raw: RawCall, names: ToolNames, { start, end }: FoundCalls): ParsedToolCall {
  const tool = names.find(raw.name);
  const schema = tool?.inputSchema ?? {};
  const misplaced = (raw.beside ?? []).filter((key) => hasProperty(schema, key));
  if (misplaced.length > 0) throw besideArguments(raw.name, misplaced);
  const args: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw.values ?? {})) setOwn(args, key, value);
  for (const [key, written] of raw.texts ?? []) {
    setOwn(args, key, coerceText(written, propertyOf(schema, key, schema), schema));
  }
  return {
    name: tool?.name ?? withoutPrefix(raw.name),
    arguments: args,
    ...(raw.id !== undefined && { id: raw.id }),
    dialect: raw.dialect,
    start,
    end,
  };
}
