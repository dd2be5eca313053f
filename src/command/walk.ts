import type {
  CommandNode,
  CompoundList,
  ParsedScript,
  PipelineNode,
  Statement,
  Word,
  WordPart,
} from "unbash";
import type { FoundNames } from "./assigned-names.js";
import type { AnalyseOptions, CommandVariable, Redirection, SimpleCommand } from "./command-analysis.js";
import type { Scope, Stdin } from "./scope.js";
import type { Field, Taint } from "./words/field.js";

/** Where a line runs. */
export interface ShellContext {
  readonly workspace: string;
  readonly home: string;
  readonly dialect: NonNullable<AnalyseOptions["dialect"]>;
  /** Changed variables that can change what commands do. */
  readonly env: readonly string[];
}

export interface ResolvedRedirection extends Redirection {
  readonly field: Field;
  /** The descriptor; without one the operator says. */
  readonly fd: string | undefined;
}

/** A simple command whose words are resolved, before it is judged. */
export interface ResolvedCommand {
  /** The program and its arguments; at least one. */
  readonly fields: readonly Field[];
  readonly assignments: readonly CommandVariable[];
  readonly redirections: readonly ResolvedRedirection[];
  readonly stdin: Stdin;
  /** It runs beside the others, so that nothing waits for it. */
  readonly background?: boolean | undefined;
}

/** The state of one analysis. */
export interface Walk {
  readonly place: ShellContext;
  readonly commands: SimpleCommand[];
  readonly unknown: Set<string>;
  readonly reads: Set<string>;
  readonly writes: Set<string>;
  readonly changes: Set<string>;
  /** Something besides the commands keeps the line out of the strict fragment. */
  loose: boolean;
  service: string | undefined;
  interactive: string | undefined;
  /** Why something in it must never run, if no single command is to blame. */
  denied: string | undefined;
  /** Where in the line the walk is. */
  at: SimpleCommand["at"];
  /** How many texts deep it is, besides the line itself. */
  inner: number;
  /** Made when first needed: few lines have loops. */
  found: FoundNames | undefined;
  /** Some of it is nested more deeply than the parser goes. */
  tooDeep: boolean;
  /** How often parts may still be walked more than once. */
  budget: number;
  readonly script: (script: ParsedScript, scope: Scope) => void;
  /** Walk one command of a tree, or a list of them. */
  readonly node: (node: WalkedNode, scope: Scope) => void;
  readonly resolve: WordResolver;
  /** Parse and walk text that a shell would run. */
  readonly source: (text: string, scope: Scope) => void;
  /** Look into a resolved command and report what it runs. */
  readonly command: (resolved: ResolvedCommand, scope: Scope) => void;
}

/** A place where a command can be. */
export type WalkedNode = CommandNode | CompoundList | PipelineNode | Statement["command"];

/** The output of a command. */
export interface Output {
  readonly text: string;
  /** Certain, not only likely. */
  readonly sure: boolean;
  readonly taint?: Taint | undefined;
}

/** How words are resolved: words contain scripts and scripts contain words, so each reaches the other through here. */
export interface WordResolver {
  /** The value of a word that is not split. */
  readonly text: (word: Pick<Word, "text" | "value" | "parts">, scope: Scope, walk: Walk) => Field;
  /** The text of parts that are quoted as a whole. */
  readonly parts: (parts: readonly WordPart[], scope: Scope, walk: Walk) => Field;
  /** The output of a script, if it is known without running it. */
  readonly output: (script: ParsedScript, scope: Scope, walk: Walk) => Output | undefined;
}

/** The same analysis, without reporting anything. */
export function quietly(walk: Walk): Walk {
  return {
    ...walk,
    commands: [],
    unknown: new Set(),
    reads: new Set(),
    writes: new Set(),
    changes: new Set(),
    budget: 0,
    script: () => {},
    node: () => {},
    source: () => {},
    command: () => {},
  };
}

/** Deepest nesting that is still called known. */
export const maxDepth = 32;
