import type { ToolEnvelope } from "./call.js";
import type { Tool, ToolCategory } from "./tool.js";

/** Which tools an extension applies to; a missing field matches all. */
export interface ExtensionFilter {
  /** Names or globs (`git_*`), of the tool itself or one of its aliases. */
  readonly names?: readonly string[];
  readonly categories?: readonly ToolCategory[];
}

/** The call that a hook runs for. */
export interface HookCall {
  readonly callId: string;
  readonly sessionId: string;
  readonly taskId?: string | undefined;
  readonly agent: string;
  readonly userId?: string | undefined;
  readonly parentCallId?: string | undefined;
  /** Fires when the call is cancelled, out of time, or the hook took too long. */
  readonly signal: AbortSignal;
}

/**
 * What `onToolExecute` may say: other arguments, which are validated and judged by the policy
 * like those of the caller, or that the call must not run.
 */
export type ExecuteVerdict =
  | { readonly input: unknown; readonly refuse?: undefined }
  | {
      readonly input?: undefined;
      /** Why. */
      readonly refuse: string;
      /** What to do about it. */
      readonly hint?: string | undefined;
    };

/** What `onToolComplete` may add to an answer; it can change nothing in it. */
export interface CompleteNotes {
  /** Stand in `metadata.notes` under the name of the extension. */
  readonly notes: Readonly<Record<string, unknown>>;
}

/**
 * Looks on while tools come, run and go, and may narrow what they do. It runs inside Tenon.
 *
 * A hook that throws or takes longer than `timeoutMs` is reported as `LISTENER_FAILED` and
 * otherwise ignored, unless `onFailure` says that its calls must not run without it.
 */
export interface Extension {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Higher is asked first; equal ones in the order of their registration. @default 0 */
  readonly priority?: number | undefined;
  /** @default every tool */
  readonly filter?: ExtensionFilter | undefined;
  /** How long one hook may take. @default 5000 */
  readonly timeoutMs?: number | undefined;
  /** What happens to a call if `onToolExecute` fails. @default "continue" */
  readonly onFailure?: "continue" | "refuse" | undefined;
  /** What `extendTool` gets besides the tool; `tenon.use(extension, config)` gives another one. @default {} */
  readonly config?: Readonly<Record<string, unknown>> | undefined;

  /** A tool was registered while the extension is there. */
  onToolRegister?(tool: Tool): void;
  onToolUnregister?(tool: Tool): void;
  /**
   * A call passed its schema and has not been authorised yet. `input` is a copy of its arguments.
   * A thrown ToolError refuses the call as `{ refuse }` does; any other throw is a fault of the hook.
   */
  onToolExecute?(
    tool: Tool,
    input: unknown,
    call: HookCall,
  ): void | undefined | ExecuteVerdict | Promise<void | undefined | ExecuteVerdict>;
  /** A call has its answer, a refusal too. `answer` is a copy. */
  onToolComplete?(
    tool: Tool,
    answer: ToolEnvelope,
    call: HookCall,
  ): void | undefined | CompleteNotes | Promise<void | undefined | CompleteNotes>;
  /** Give another tool of the same name in the place of this one (`extendTool`), or nothing to leave it. */
  extendTool?(tool: Tool, config: Readonly<Record<string, unknown>>): Tool | undefined;
}
