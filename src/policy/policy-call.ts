import type { Role } from "../contract/ports/access.js";
import type { Resource } from "../contract/resources.js";
import type { SecurityLevel, ToolAnnotations, ToolCategory } from "../contract/tool.js";

/** One simple command of a shell line, as its analysis saw it. */
export interface PolicyCommand {
  readonly words: readonly string[];
  /** `false` where some of the words are only known when it runs. */
  readonly known: boolean;
  readonly readOnly: boolean;
  readonly why?: string | undefined;
  /**
   * What it gets besides its words (standard input, folder, variables), in words; `undefined` where that is
   * nothing out of the ordinary, `null` where it is not known.
   */
  readonly given?: string | null | undefined;
  /** The sandbox holds it; `false` where one should, but none can be had. */
  readonly sandboxed?: boolean | undefined;
  /** Why it should never run. */
  readonly denied?: string | undefined;
}

/** A call as the policy sees it: who wants to touch what with which tool. */
export interface PolicyCall {
  readonly toolName: string;
  readonly aliases?: readonly string[] | undefined;
  readonly category: ToolCategory;
  readonly annotations: ToolAnnotations;
  /** Capabilities that the tool requires. */
  readonly capabilities?: readonly string[] | undefined;
  /** @default derived from the annotations */
  readonly securityLevel?: SecurityLevel | undefined;
  readonly agent: string;
  readonly userId?: string | undefined;
  /** The program that the agent works for, as it calls itself. */
  readonly client?: string | undefined;
  /** What the user may do. @default "admin", as for local use */
  readonly role?: Role | undefined;
  /** The MCP endpoint that the call came through. */
  readonly endpoint?: string | undefined;
  readonly sessionId: string;
  /** Paths are canonical: absolute, or relative to the workspace. */
  readonly reads: readonly Resource[];
  readonly writes: readonly Resource[];
  readonly commands?: readonly PolicyCommand[] | undefined;
  /** Files that its commands change by themselves: such a path can tighten, but needs no consent of its own. */
  readonly changes?: readonly string[] | undefined;
  /**
   * The other names of a path, and of what is below it: a rule about one of them can make the decision stricter, but a
   * name needs no consent of its own.
   */
  readonly namesOf?: ((path: string, below: boolean) => readonly string[]) | undefined;
}
