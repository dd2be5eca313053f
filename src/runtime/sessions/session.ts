import { BatchBudget } from "../../call/batch-budget.js";
import { runCall } from "../../call/run-call.js";
import type { Policy } from "../../policy/create-policy.js";
import { explainCall, type Explained, type ExplainOptions } from "../../call/explain.js";
import { toErrorInfo, toToolError } from "../../call/failure.js";
import type { SpineParts } from "../../call/parts.js";
import type { ToolEnvelope, ToolRequest } from "../../contract/call.js";
import type { ToolError } from "../../contract/errors.js";
import type { Role } from "../../contract/ports/access.js";
import type { ClientConnection } from "../../contract/ports/client.js";
import type { SessionEnv } from "../../contract/ports/env.js";
import type { ApprovalChannel, ClientInfo, InteractBackend } from "../../contract/ports/interact.js";
import type { SeenFiles } from "../../contract/ports/seen.js";
import type { CallSession, SessionFolder } from "../../contract/session.js";
import type { SessionOptions, StreamItem, ToolCaller, ValidationResult } from "../../contract/tenon.js";
import type { Tool, ToolDescription } from "../../contract/tool.js";
import { toRequest } from "../../contract/to-request.js";
import type { CallTool } from "../../contract/typed-call.js";
import { toLLMTools, type LLMFormat, type LLMTools, type LLMToolsOptions } from "../../llm/to-llm-tools.js";
import { sessionPrompt, type SessionPromptOptions } from "./session-prompt.js";
import type { ToolPrompt } from "../../llm/tool-prompt.js";
import type { Toolset } from "../../registry/toolsets.js";
import { takePlain } from "../../schema/take-plain.js";
import type { RunningCalls } from "../calls/running-calls.js";
import { createSessionFolder } from "./session-folder.js";
import { streamCalls } from "./stream.js";
import type { SessionIteration } from "../state/work-access.js";
import { checkKeys } from "../../schema/check-keys.js";

/** What the runtime provides to a session. */
export interface SessionDeps {
  readonly spine: SpineParts;
  readonly env: SessionEnv;
  readonly seen: SeenFiles;
  readonly toolset: Toolset | undefined;
  /** Update a toolset that follows the pipeline. @default it does not change */
  readonly refresh?: (() => Promise<void>) | undefined;
  readonly iteration: SessionIteration;
  /** The name of an agent that is named after its client. @default its configured name */
  readonly nameAgent?: (() => string) | undefined;
  readonly running: RunningCalls;
  /** Stop the background jobs of the session. */
  readonly endJobs: (sessionId: string, reason?: string) => Promise<void>;
}

/** One agent with its identity, toolset and environment. */
export class Session implements ToolCaller, CallSession {
  readonly id: string;
  readonly env: SessionEnv;
  readonly seen: SeenFiles;
  readonly folder: SessionFolder;
  declare readonly userId?: string;
  declare readonly principal?: string;
  declare readonly role?: Role;
  declare readonly endpoint?: string;
  declare readonly taskId?: string;
  /** @internal */
  readonly iterationTracker: SessionIteration;
  declare readonly allowedPaths?: readonly string[];
  declare readonly sees?: (toolName: string) => boolean;
  declare readonly interact?: InteractBackend;
  declare readonly client?: ClientConnection;
  declare readonly closedChannels?: readonly ApprovalChannel[];
  readonly #parts: SessionDeps;
  readonly #agent: string;
  readonly #clientInfo: ClientInfo | undefined;

  /** @internal `tenon.createSession` opens sessions. */
  constructor(options: SessionOptions & { readonly id: string }, parts: SessionDeps) {
    this.id = options.id;
    this.#agent = options.agent ?? "agent";
    this.#clientInfo = options.clientInfo;
    if (options.userId !== undefined) this.userId = options.userId;
    if (options.principal !== undefined) this.principal = options.principal;
    if (options.role !== undefined) this.role = options.role;
    if (options.endpoint !== undefined) this.endpoint = options.endpoint;
    if (options.taskId !== undefined) this.taskId = options.taskId;
    this.iterationTracker = parts.iteration;
    if (options.allowedPaths !== undefined) this.allowedPaths = options.allowedPaths;
    if (options.sees !== undefined) this.sees = options.sees;
    if (options.interact !== undefined) this.interact = options.interact;
    if (options.client !== undefined) this.client = options.client;
    if (options.closedChannels !== undefined) this.closedChannels = options.closedChannels;
    this.env = parts.env;
    this.seen = parts.seen;
    this.folder = createSessionFolder(() => parts.spine.world.root?.() ?? ".");
    this.#parts = parts;
  }

  /** The configured name, else that of the client, once it is known. */
  get agent(): string {
    return this.#parts.nameAgent?.() ?? this.#agent;
  }

  /** The client program, as it reports itself. */
  get clientInfo(): ClientInfo | undefined {
    return this.#clientInfo ?? this.client?.info;
  }

  /** The iteration of the session, else the newest. */
  get iterationId(): string | undefined {
    return this.iterationTracker.shown;
  }

  call = ((target: unknown, input?: unknown, options?: unknown): Promise<ToolEnvelope> =>
    this.#run(toRequest(target, input, options), undefined)) as CallTool;

  /** @internal Whether a call runs at once, without waiting for the start or a toolset. */
  get isStarted(): boolean {
    return this.#parts.running.starting === undefined && this.#parts.refresh === undefined;
  }

  #run(request: unknown, batch: BatchBudget | undefined): Promise<ToolEnvelope> {
    const { spine, toolset } = this.#parts;
    if (this.isStarted) return runCall(request, { session: this, toolset, batch }, spine);
    return this.refresh().then((fault) => runCall(request, { session: this, toolset, fault, batch }, spine));
  }

  /** Wait for the start, and update a toolset that follows the pipeline; returns the error that prevents calls. */
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

  callMany = (requests: readonly ToolRequest[]): Promise<ToolEnvelope[]> => {
    const list = toRequests(requests);
    const batch = this.#batchOf(list);
    return Promise.all(list.map((request) => this.#run(request, batch)));
  };

  /** The answers of a batch share a budget. */
  #batchOf({ length }: readonly ToolRequest[]): BatchBudget | undefined {
    return length < 2 ? undefined : new BatchBudget(this.#parts.spine.output.maxBatchTokens, length);
  }

  stream = (requests: ToolRequest | readonly ToolRequest[]): AsyncIterable<StreamItem> => {
    const { spine, toolset } = this.#parts;
    const list = toRequests(requests);
    const batch = this.#batchOf(list);
    return streamCalls(list, async (request, link) => {
      const fault = await this.refresh();
      return runCall(request, { session: this, toolset, fault, batch, ...link }, spine);
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

  /** What would be decided about a call, by which rule and why; nobody is asked and nothing runs. */
  explain = async (request: ToolRequest, options: ExplainOptions = {}): Promise<Explained> => {
    checkKeys(options, { changes: true, considered: true }, "explain");
    const { spine, toolset } = this.#parts;
    const fault = await this.refresh();
    return explainCall(request, { session: this, toolset, fault, ...options }, spine);
  };

  /** @internal The same under another policy, to see what its rules would change. */
  explainUnder = async (
    policy: Policy,
    request: ToolRequest,
    options: ExplainOptions,
  ): Promise<Explained> => {
    const { spine, toolset } = this.#parts;
    const fault = await this.refresh();
    return explainCall(request, { session: this, toolset, fault, ...options }, { ...spine, policy });
  };

  /** Remove the rules of this session, and stop its background jobs. @param reason Why, if that is to be recorded. */
  async close(reason?: string): Promise<void> {
    this.#parts.spine.policy.endSession(this.id);
    await this.#parts.endJobs(this.id, reason);
  }

  /** The definitions of this session's tools in a provider's format. */
  toLLMTools(format: LLMFormat, options?: LLMToolsOptions): LLMTools {
    return toLLMTools(this.descriptions(), format, options);
  }

  /** The system prompt with this session's tools, for models without tool calling. */
  prompt = (options: SessionPromptOptions = {}): ToolPrompt => sessionPrompt(this.descriptions(), options);

  /** Descriptions of the tools of this session, sorted by name. */
  descriptions(): ToolDescription[] {
    const { spine, toolset } = this.#parts;
    return spine.registry.descriptions({ toolset }).sort(byName);
  }

  /** The tools of this session, sorted by name. */
  tools(): Tool[] {
    const { spine, toolset } = this.#parts;
    return spine.registry.list({ toolset }).sort(byName);
  }
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

const maxRequests = 1_000_000;

/** The list of requests; anything but a readable list is treated as one invalid request. */
function toRequests(requests: unknown): readonly ToolRequest[] {
  try {
    if (!Array.isArray(requests) || requests.length > maxRequests) return [requests as ToolRequest];
    const list: ToolRequest[] = [];
    for (let index = 0; index < requests.length; index++) list.push(requests[index] as ToolRequest);
    return list;
  } catch {
    return [undefined as unknown as ToolRequest]; // a hostile proxy
  }
}
