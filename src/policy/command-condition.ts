import { match, type Match } from "./match.js";
import type { PolicyCommand } from "./policy-call.js";
import { splitCommands } from "./split-words.js";
import { compileWildcard, PatternError, unescapeWildcard } from "../glob/wildcard.js";

/** A command of a call, ready to be compared. */
export interface TouchedCommand {
  readonly command: PolicyCommand;
  /** The program without its directory. */
  readonly program: string;
}

/** The `command` of a rule, compiled. */
export interface CommandCondition {
  readonly test: (touched: TouchedCommand) => Match;
  /** Programs of which one must be called; `undefined`: any may be. */
  readonly keys: readonly string[] | undefined;
}

/** Prepare a command for comparing. */
export function viewCommand(command: PolicyCommand): TouchedCommand {
  return { command, program: baseName(command.words[0] ?? "") };
}

export interface CommandConditionOptions {
  readonly allows: boolean;
  /** Nothing may follow the words, unless they end in `*`. */
  readonly exact: boolean;
  /** With `exact`: what the command gets besides its words. */
  readonly given?: string | undefined;
  readonly ignoreCase: boolean;
}

interface WordPattern {
  readonly test: (word: string) => boolean;
  /** The word where it holds no wildcard. */
  readonly literal: string | undefined;
  readonly option: boolean;
}

interface CommandPattern {
  readonly words: readonly WordPattern[];
  /** Other words may follow. */
  readonly open: boolean;
}

/**
 * Compile the first words of commands. An allow rule compares word by word from the start; a rule
 * that tightens also sees through a path before the program, options in between and other orders
 * of options, and is never sure about words that are only known at run time.
 */
export function compileCommands(
  lines: readonly string[],
  options: CommandConditionOptions,
): CommandCondition {
  const patterns = lines.map((line) => compile(line, options));
  const programs = patterns.map(({ words }) => words[0]?.literal);
  const sure = !options.ignoreCase && programs.every((program) => program !== undefined);
  return { test: toTest(patterns, options), keys: sure ? programs : undefined };
}

function toTest(
  patterns: readonly CommandPattern[],
  options: CommandConditionOptions,
): CommandCondition["test"] {
  if (options.allows) {
    const { exact, given } = options;
    return ({ command: { words, known, given: got } }) => {
      // Consent to a command says nothing about the same words with another input, folder or environment.
      if (!known || (exact && got !== given)) return match.no;
      return patterns.some((pattern) => matchesStrictly(pattern, words)) ? match.yes : match.no;
    };
  }
  return (touched) => {
    const folded = options.ignoreCase ? lowered(touched) : touched;
    if (patterns.some((pattern) => matchesLoosely(pattern, folded))) return match.yes;
    return touched.command.known ? match.no : match.maybe;
  };
}

function lowered({ command, program }: TouchedCommand): TouchedCommand {
  const words = command.words.map((word) => word.toLowerCase());
  return { command: { ...command, words }, program: program.toLowerCase() };
}

function compile(line: string, { exact, ignoreCase, allows }: CommandConditionOptions): CommandPattern {
  if (line.length > maxLineLength) throw new PatternError(`it is longer than ${maxLineLength} characters`);
  const commands = splitCommands(ignoreCase && !allows ? line.toLowerCase() : line);
  const [words, ...more] = commands;
  if (words === undefined) throw new PatternError("the name of the command is missing");
  if (more.length > 0) throw new PatternError("it contains more than one command: list them one by one");
  const star = words.at(-1) === "*";
  const kept = star ? words.slice(0, -1) : words;
  return { words: kept.map(compileWord), open: star || !exact };
}

const maxLineLength = 16_384;

function compileWord(pattern: string): WordPattern {
  const { test, literal } = compileWildcard(pattern);
  return { test, literal, option: unescapeWildcard(pattern).startsWith("-") };
}

function matchesStrictly({ words: patterns, open }: CommandPattern, words: readonly string[]): boolean {
  if (words.length < patterns.length || (!open && words.length > patterns.length)) return false;
  for (let at = 0; at < patterns.length; at++) if (!patterns[at]!.test(words[at]!)) return false;
  return words.length > 0;
}

function matchesLoosely({ words: patterns }: CommandPattern, { command, program }: TouchedCommand): boolean {
  const { words } = command;
  const [first] = patterns;
  if (first === undefined) return true;
  if (words.length === 0 || !(first.test(words[0]!) || first.test(program))) return false;
  const rest = patterns.slice(1);
  const options = rest.filter(({ option }) => option);
  if (!options.every((option) => hasOption(option, words))) return false;
  return followInOrder(
    rest.filter(({ option }) => !option),
    words,
  );
}

function baseName(program: string): string {
  return program
    .slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1)
    .replace(/\.exe$/i, "");
}

/** The words come in this order, with nothing in between but options and what may be their values. */
function followInOrder(patterns: readonly WordPattern[], words: readonly string[]): boolean {
  let at = 1;
  for (const pattern of patterns) {
    while (at < words.length && !pattern.test(words[at]!)) {
      const skippable = isOption(words[at]!) || (at > 1 && isOption(words[at - 1]!));
      if (!skippable) return false;
      at++;
    }
    if (at++ >= words.length) return false;
  }
  return true;
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith("-");
}

/** The option itself, with a value (`--name=value`), or its letters spread over others (`-r -f`). */
function hasOption(option: WordPattern, words: readonly string[]): boolean {
  const { literal } = option;
  if (words.some((word) => option.test(word))) return true;
  if (literal === undefined) return false;
  if (words.some((word) => word.startsWith(`${literal}=`))) return true;
  if (!SHORT.test(literal)) return false;
  const given = words.filter((word) => SHORT.test(word)).join("");
  return literal.split("").every((letter) => given.includes(letter));
}

const SHORT = /^-[A-Za-z]+$/;
