/** A call that proves what a rule means: it must match, or must not. */
export interface PolicyExample {
  readonly tool: string;
  readonly agent?: string;
  readonly user?: string;
  readonly client?: string;
  readonly role?: string;
  readonly endpoint?: string;
  readonly session?: string;
  /** `path`, `from`, `to` count as paths, `url` and `host` as hosts, `command` as a shell line. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** One rule. Fields that are missing match anything; in a list one match is enough, and `!pattern` excludes. */
export interface PolicyRule {
  /** Name of the rule in decisions. @default its source and place, as in "user#3" */
  readonly id?: string;
  readonly decision: "allow" | "ask" | "deny";
  /** For `ask`: how many people must consent, none of them the one in whose name the call is made. @default 1 */
  readonly approvals?: number;
  /** Tools, by name or alias; globs. */
  readonly tool?: string | readonly string[];
  /** Agents; globs. */
  readonly agent?: string | readonly string[];
  /** User ids; globs. */
  readonly user?: string | readonly string[];
  /** MCP clients, by the name that they give themselves; globs. */
  readonly client?: string | readonly string[];
  /** Roles of users: viewer, operator, approver or admin; local use is admin. */
  readonly role?: string | readonly string[];
  /** MCP endpoints that calls come through; globs. */
  readonly endpoint?: string | readonly string[];
  /** Sessions, by their id; globs. */
  readonly session?: string | readonly string[];
  /** Globs of paths, relative to the workspace or absolute; `~` is not expanded. */
  readonly path?: string | readonly string[];
  /** Narrows `path` to what is read or what is written. @default both */
  readonly access?: "read" | "write";
  /** First words of a simple command, such as "npm run test"; `*` stands for any one word, at the end for any words. */
  readonly command?: string | readonly string[];
  /** For `allow`: nothing may follow the words of a command that does not end in `*`. @default false */
  readonly exact?: boolean;
  /**
   * With `exact`: what the command gets besides its words, as "always" writes it down: the hash of its standard
   * input, its folder, the hash of its variables. @default nothing is fed to it, it runs in the workspace itself
   */
  readonly given?: string;
  /** Globs of hosts, with or without a port: "*.example.com", "localhost:8080". */
  readonly host?: string | readonly string[];
  /** Told with the decision. */
  readonly reason?: string;
  /** Calls that the rule must match; checked when it is loaded. */
  readonly match?: readonly PolicyExample[];
  /** Calls that the rule must not match; checked when it is loaded. */
  readonly notMatch?: readonly PolicyExample[];
}

/** Where rules come from, strongest first. */
export const ruleSources = [
  "command-line",
  "session",
  "user",
  "remembered",
  "workspace",
  "built-in",
] as const;

/** Where a rule comes from, from the strongest. */
export type RuleSource = (typeof ruleSources)[number];
