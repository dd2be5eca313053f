export interface AnalyseOptions {
  /** Absolute path. */
  readonly workspace: string;
  /** Relative to the workspace, or absolute. @default the workspace */
  readonly cwd?: string | undefined;
  /** What `~` and `$HOME` mean. @default "/home/user" */
  readonly home?: string | undefined;
  /** Only bash and sh are judged by their grammar; nothing of another shell counts as known. @default "bash" */
  readonly dialect?: "bash" | "sh" | "other" | undefined;
  /** The standard input of the line. @default nothing */
  readonly stdin?: string | undefined;
  /** Names of variables that were changed for this line: they can change what its commands do. */
  readonly env?: readonly string[] | undefined;
}

export interface Redirection {
  /** As in the shell: `>`, `>>`, `<`, `<<<`, `>&`, … */
  readonly op: string;
  readonly target: string;
  /** `false` where the target is only known when it runs. */
  readonly known: boolean;
}

export interface CommandVariable {
  readonly name: string;
  readonly value: string;
  readonly known: boolean;
}

/** One command that the line would run, with all wrappers around it taken off. */
export interface SimpleCommand {
  /** Words that could not be resolved are shown as they were written. */
  readonly words: readonly string[];
  /** `false` if the words, or what the program does with them, are only known when it runs. */
  readonly known: boolean;
  /** Places of the words that are only known when it runs. */
  readonly unknownWords: readonly number[];
  readonly why?: string | undefined;
  readonly assignments: readonly CommandVariable[];
  readonly redirections: readonly Redirection[];
  /** Its standard input: `undefined` if it has none, `null` if it is not known. */
  readonly stdin?: string | null | undefined;
  /** Folders it can run in, absolute; `null` where that is not known. */
  readonly cwds: readonly string[] | null;
  /** What contains it, outermost first: `timeout`, `sh -c`, `$(…)`, … */
  readonly via: readonly string[];
  /** Where it is in the line, or where its container is. */
  readonly at: { readonly start: number; readonly end: number };
  /** It is in the strict fragment that only reads, inside the workspace. */
  readonly readOnly: boolean;
  /** Why it should never run. */
  readonly denied?: string | undefined;
}

/** What a shell line would do, as far as it can be known without running it. */
export interface CommandAnalysis {
  /** Every simple command, in the order in which they stand. */
  readonly commands: readonly SimpleCommand[];
  /** The whole line is in the strict fragment that only reads. */
  readonly readOnly: boolean;
  /** Why the line is not fully known, in words. */
  readonly unknown: readonly string[];
  /** Why the line should never run, where that is sure. */
  readonly denied?: string | undefined;
  /** Files that it surely names for reading: absolute, without `..`. */
  readonly reads: readonly string[];
  /** Files that it surely writes by redirection: absolute, without `..`. */
  readonly writes: readonly string[];
  /** Files that its commands surely change by themselves (`cp`, `tee`, `dd of=`, …): absolute, without `..`. */
  readonly changes: readonly string[];
  /** What `git mv` moves in it: absolute, without `..`. */
  readonly movedByGit: readonly string[];
  /** A service that it would start and that never ends by itself. */
  readonly service?: string | undefined;
  /** A program in it that needs a person at a terminal. */
  readonly interactive?: string | undefined;
  /** The folder that it starts in, absolute. */
  readonly cwd: string;
  /** It does nothing but change the folder. */
  readonly isOnlyCd: boolean;
}
