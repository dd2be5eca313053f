import { runCall } from "../call/run-call.js";
import { explainCall, type Explained } from "../call/explain.js";
import { toErrorInfo, toToolError } from "../call/failure.js";
import type { SpineParts } from "../call/parts.js";
import type { ToolEnvelope, ToolRequest } from "../contract/call.js";
import type { ToolError } from "../contract/errors.js";
import type { ClientDoor } from "../contract/ports/client.js";
import type { SessionEnv } from "../contract/ports/env.js";
import type { InteractBackend } from "../contract/ports/interact.js";
import type { SeenFiles } from "../contract/ports/seen.js";
import type { CallSession } from "../contract/session.js";
import type { SessionOptions, StreamItem, ToolCaller, ValidationResult } from "../contract/tenon.js";
import type { Tool } from "../contract/tool.js";
import { toLLMTools, type LLMFormat, type LLMTools } from "../llm/to-llm-tools.js";
import type { Toolset } from "../registry/toolsets.js";
import { takePlain } from "../schema/take-plain.js";
import type { RunningCalls } from "./running-calls.js";
import { streamCalls } from "./stream.js";
import type { Seat } from "./work-door.js";

/** What a session gets from the runtime that opens it. */
export interface SessionParts {
  readonly spine: SpineParts;
  readonly env: SessionEnv;
  readonly seen: SeenFiles;
  readonly toolset: Toolset | undefined;
  /** Bring a toolset that follows the pipeline up to date. @default it does not change */
  readonly refresh?: (() => Promise<void>) | undefined;
  readonly seat: Seat;
  readonly running: RunningCalls;
  /** Stop what the session left running. */
  readonly endJobs: (sessionId: string) => Promise<void>;
}

/** One agent at work: who it is, what it may see, its environment. */
export class Session implements ToolCaller, CallSession {
  readonly id: string;
  readonly agent: string;
  readonly env: SessionEnv;
  readonly seen: SeenFiles;
  declare readonly userId?: string;
  declare readonly taskId?: string;
  readonly seat: Seat;
  declare readonly allowedPaths?: readonly string[];
  declare readonly interact?: InteractBackend;
  declare readonly client?: ClientDoor;
  readonly #parts: SessionParts;

  constructor(options: SessionOptions & { readonly id: string }, parts: SessionParts) {
    this.id = options.id;
    this.agent = options.agent ?? "agent";
    if (options.userId !== undefined) this.userId = options.userId;
    if (options.taskId !== undefined) this.taskId = options.taskId;
    this.seat = parts.seat;
    if (options.allowedPaths !== undefined) this.allowedPaths = options.allowedPaths;
    if (options.interact !== undefined) this.interact = options.interact;
    if (options.client !== undefined) this.client = options.client;
    this.env = parts.env;
    this.seen = parts.seen;
    this.#parts = parts;
  }

  /** The iteration that it works in: its own, else the newest. */
  get iterationId(): string | undefined {
    return this.seat.shown;
  }

  call = (request: ToolRequest): Promise<ToolEnvelope> => {
    const { spine, toolset, running, refresh } = this.#parts;
    if (running.starting === undefined && refresh === undefined)
      return runCall(request, { session: this, toolset }, spine);
    return this.refresh().then((fault) => runCall(request, { session: this, toolset, fault }, spine));
  };

  /** Wait for the start and see where the pipeline stands, where the toolset follows it; tells why no call can run. */
  refresh = async (): Promise<ToolError | undefined> => {
    const { running, refresh } = this.#parts;
    const fault = await running.starting;
    if (fault !== undefined || refresh === undefined) return fault;
    try {
      await refresh();
      return undefined;
    } catch (thrown) {
      return toToolError(thrown, "");
    }
  };

  callMany = (requests: readonly ToolRequest[]): Promise<ToolEnvelope[]> =>
    Promise.all(toRequests(requests).map((request) => this.call(request)));

  stream = (requests: ToolRequest | readonly ToolRequest[]): AsyncIterable<StreamItem> => {
    const { spine, toolset } = this.#parts;
    return streamCalls(toRequests(requests), async (request, link) => {
      const fault = await this.refresh();
      return runCall(request, { session: this, toolset, fault, ...link }, spine);
    });
  };

  validate = (name: string, args: unknown): ValidationResult => {
    const { spine, toolset } = this.#parts;
    try {
      const entry = spine.registry.resolve(name, { sessionId: this.id, toolset });
      const plain = takePlain(args ?? {}, spine.plainLimits);
      const checked = plain.ok ? entry.input.check(plain.value) : plain;
      if (checked.ok) return { valid: true, errors: [] };
      return { valid: false, errors: checked.issues.map((issue) => issue.message) };
    } catch (thrown) {
      const { message, hint } = toErrorInfo(toToolError(thrown, ""));
      return { valid: false, errors: [hint === undefined ? message : `${message} ${hint}`] };
    }
  };

  /** Say what would be decided about a call, by which rule and why; nobody is asked and nothing runs. */
  explain = async (request: ToolRequest): Promise<Explained> => {
    const { spine, toolset } = this.#parts;
    const fault = await this.refresh();
    return explainCall(request, { session: this, toolset, fault }, spine);
  };

  /** Forget the answers that were given for this session, and stop its background jobs. */
  async close(): Promise<void> {
    this.#parts.spine.policy.endSession(this.id);
    await this.#parts.endJobs(this.id);
  }

  /** The definitions of this session's tools for a model, in a provider's dialect. */
  toLLMTools(format: LLMFormat): LLMTools {
    const { registry } = this.#parts.spine;
    const described = this.tools().flatMap((tool) => registry.describe(tool.name) ?? []);
    return toLLMTools(described, format);
  }

  /** The tools that this session can see, in the order of their names. */
  tools(): Tool[] {
    const { spine, toolset } = this.#parts;
    const tools = spine.registry.list(toolset === undefined ? {} : { toolset });
    return tools.sort((one, other) => (one.name < other.name ? -1 : 1));
  }
}

const mostRequests = 1_000_000;

/** The requests one by one; what is no list that can be read is one request, refused like any bad one. */
function toRequests(requests: unknown): readonly ToolRequest[] {
  try {
    if (!Array.isArray(requests) || requests.length > mostRequests) return [requests as ToolRequest];
    const list: ToolRequest[] = [];
    for (let index = 0; index < requests.length; index++) list.push(requests[index] as ToolRequest);
    return list;
  } catch {
    return [undefined as unknown as ToolRequest]; // a hostile proxy
  }
}
