import type { ToolEnvelope } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import type { CodeSearch } from "../contract/ports/code.js";
import type { Files, FileStat, PathVerdict } from "../contract/ports/files.js";
import type { Http } from "../contract/ports/http.js";
import type { Interact } from "../contract/ports/interact.js";
import type { Log } from "../contract/ports/log.js";
import type { Outputs } from "../contract/ports/outputs.js";
import type { Processes, SandboxState } from "../contract/ports/processes.js";
import type { Recorder } from "../contract/ports/recorder.js";
import type { Store } from "../contract/ports/store.js";
import type { CallScope, CallSession, PathWhitelist } from "../contract/session.js";
import type { RetryPolicy, SecurityLevel, ToolAnnotations } from "../contract/tool.js";
import type { Policy } from "../policy/create-policy.js";
import type { EventBus } from "../record/event-bus.js";
import type { ToolMeter } from "../record/tool-meter.js";
import type { Quotas } from "../registry/quotas.js";
import type { ToolEntry } from "../registry/tool-entry.js";
import type { ToolSearch } from "../registry/tool-search.js";
import type { ToolRegistry } from "../registry/tool-registry.js";
import type { PlainLimits } from "../schema/take-plain.js";
import type { DeadlineWheel } from "../scheduler/deadline-wheel.js";
import type { Scheduler, ToolLimits } from "../scheduler/scheduler.js";
import type { Approvals } from "./approve.js";
import type { CallOrigin } from "./call-origin.js";
import type { ExtensionHooks } from "./extensions.js";
import type { LoopGuard } from "./loop-guard.js";
import type { ReceivedCall } from "./receive.js";
import type { AnswerKeys } from "./repeat.js";
import type { ResultCache } from "./result-cache.js";

/** Settings of one tool version after configuration and optimiser were applied. */
export interface ToolSettings {
  timeoutMs: number | null;
  priority: number;
  retry: RetryPolicy;
  readonly limits: ToolLimits;
  readonly meter: ToolMeter;
  /** Its calls run one after the other. */
  readonly exclusive: boolean;
  readonly annotations: ToolAnnotations;
  /** The names besides its own by which rules mean it. */
  readonly otherNames: readonly string[] | undefined;
  /** Identifies this version's answers in the cache; `undefined` if they are not cached. */
  readonly cacheId?: string | undefined;
  readonly capabilities: readonly string[];
  readonly securityLevel?: SecurityLevel;
  readonly allowedPaths?: readonly string[];
  readonly forbiddenPaths?: readonly string[];
  readonly custom: Readonly<Record<string, unknown>>;
  /** Estimated tokens of text for the model. @default that of all tools */
  readonly maxTokens?: number | undefined;
}

/** How much text the model is given, in estimated tokens. */
export interface OutputLimits {
  readonly maxTokens: number;
  readonly maxBatchTokens: number;
}

/** Access to files, processes and network; each port is created for one call when the tool first uses it. */
export interface WorldPorts {
  files(scope: CallScope): Files;
  /** Stat one path synchronously through the call's own guard. @default what is on disk has no version */
  look?(scope: CallScope, path: string): FileStat | null;
  /** The same at a glance: the identity of a file that may or may not be the one that was read. @default `look` */
  glance?(scope: CallScope, path: string): FileStat | null;
  processes(scope: CallScope): Processes;
  code(scope: CallScope): CodeSearch;
  outputs(scope: CallScope): Outputs;
  http(scope: CallScope): Http;
  store(scope: CallScope): Store;
  interact(scope: CallScope): Interact;
  log(scope: CallScope): Log;
  /** The sandbox that a command would run in now. */
  sandbox(): SandboxState;
  /** Find out which sandbox there is; `undefined` if that is known already. */
  lookForSandbox(): Promise<unknown> | undefined;
  /** The real path of the workspace. @default the canonical form of "." */
  root?(): string;
  /** The canonical form of a path, so that locks and rules mean the same file. */
  readonly canonicalPath: (path: string, isReal?: boolean) => string;
  /**
   * The other names of a canonical path, and of what is below it: links that lead to it, and what git knows it by. All are
   * absolute. @default none
   */
  readonly namesOf?: (real: string, below: boolean) => readonly string[];
  /** The guard's verdict on a path, without touching anything. */
  checkPath(path: string, access: "read" | "write"): PathVerdict;
  /** The lists of allowed paths that bind a tool in a session. @default none */
  whitelist?(toolName: string, session: CallSession): PathWhitelist | undefined;
  /** The egress guard's verdict on a host, as far as its name can tell. @param isNamed Private addresses may be named. */
  checkHost(host: string, isNamed: boolean): PathVerdict;
}

/** Keeps track of the running calls. */
export interface InFlight {
  enter(call: ReceivedCall): void;
  leave(call: ReceivedCall): void;
}

/** Everything that the stages of a call work with; `runtime/` wires it once. */
export interface SpineParts {
  readonly registry: ToolRegistry;
  readonly search: ToolSearch;
  readonly policy: Policy;
  readonly approvals: Approvals;
  /** Whether a person is asked about a command with what it changed, if that can be seen first. */
  readonly askAfter: boolean;
  readonly quotas: Quotas | undefined;
  readonly hooks: ExtensionHooks;
  /** Answers of read-only calls; `undefined` if none are cached. */
  readonly cache: ResultCache | undefined;
  readonly loopGuard: LoopGuard | undefined;
  readonly keys?: AnswerKeys | undefined;
  readonly scheduler: Scheduler;
  readonly deadlines: DeadlineWheel;
  readonly events: EventBus;
  readonly recorders: readonly Recorder[];
  /** Why no call may change anything now, if that is so. */
  readonly refuseChanges?: (() => ToolError | undefined) | undefined;
  readonly world: WorldPorts;
  readonly clock: Clock;
  readonly plainLimits: PlainLimits;
  readonly random: () => number;
  readonly newId: () => string;
  /** Take an id that was reserved for a coming call; `false` if it was not, or is already taken. */
  readonly takeId: (id: string) => boolean;
  /** Hide secrets in events, records and errors. */
  readonly redact: <T>(value: T) => T;
  readonly settings: (entry: ToolEntry) => ToolSettings;
  /** Text for the model is cut in the middle beyond this many characters. */
  readonly maxTextChars: number;
  readonly output: OutputLimits;
  /** Register work that continues after an answer; closing waits for it. */
  readonly chore: (work: Promise<unknown>) => void;
  /** How long a cancelled tool that does not stop keeps its locks. */
  readonly cancelGraceMs: number;
  readonly lifetime: { readonly closed: boolean };
  /** Told of every call that no other call made, from its start to its answer. */
  readonly inFlight: InFlight;
  /** The wait for a tool whose server has not listed its tools yet. @default none */
  readonly awaitTool?: (name: string, origin: CallOrigin) => Promise<void> | undefined;
  /** The spine itself, for calls that calls make. */
  readonly run: (request: unknown, origin: CallOrigin) => Promise<ToolEnvelope>;
}
