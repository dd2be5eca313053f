import type { ToolEnvelope, ToolRequest } from "../../contract/call.js";
import type {
  AskingRequest,
  HostAnswer,
  HostCall,
  HostChange,
  HostPrompts,
  HostResources,
  HostScope,
  HostSession,
  HostSessionOptions,
  HostTool,
  PromptProvider,
  ResourceProvider,
} from "../../contract/host.js";
import { ToolInternalError } from "../../contract/errors.js";
import { matchesName } from "../../glob/name-glob.js";
import { compactTool } from "./compact-tool.js";
import { joinPrompts, joinResources } from "./join-providers.js";
import { changesOf } from "./work-resources.js";
import type { WireCatalogue } from "./wire-catalogue.js";
import type { Session } from "../sessions/session.js";
import type { Tenon } from "../tenon.js";

export interface HostSessionDeps {
  readonly tenon: Tenon;
  readonly catalogue: WireCatalogue;
  readonly asked: HostSessionOptions;
  readonly resources: ReadonlySet<ResourceProvider>;
  readonly prompts: ReadonlySet<PromptProvider>;
  readonly tell: (change: HostChange) => void;
}

const nothing = "mcp-nothing";
/** How long a list of tools waits for servers whose tools are not known. */
const listingWaitMs = 5000;

export class TenonHostSession implements HostSession {
  readonly #parts: HostSessionDeps;
  readonly #session: Session;
  #listed: { readonly of: string; readonly tools: readonly HostTool[] } | undefined;
  #blind: Session | undefined;
  #hasExpected = false;

  constructor(parts: HostSessionDeps) {
    const { id, toolset, agent, userId, principal, role, endpoint, native, interact, client, local } =
      parts.asked;
    this.#parts = parts;
    this.#session = parts.tenon.createSession({
      ...(id !== undefined && { id }),
      ...(toolset !== undefined && { toolset }),
      ...(agent !== undefined && { agent }),
      ...(userId !== undefined && { userId }),
      ...(principal !== undefined && { principal }),
      ...(role !== undefined && { role }),
      ...(endpoint !== undefined && { endpoint }),
      ...(native !== undefined && { native }),
      ...(this.#narrowed && { sees: (name: string) => this.#sees(name) }),
      interact,
      client,
      // A host on stdio is the user's own program; over HTTP it is anyone who has the token.
      ...(local !== true && { closedChannels: ["host"] as const }),
    });
  }

  get id(): string {
    return this.#session.id;
  }

  get agent(): string {
    return this.#session.agent;
  }

  get endpoint(): string | undefined {
    return this.#session.endpoint;
  }

  async tools(): Promise<readonly HostTool[]> {
    this.#expectServers();
    await this.#session.refresh();
    // A host that lists once must see the tools of servers that have just been configured.
    await this.#parts.tenon.mcp.settle(listingWaitMs, this.#caller);
    const { catalogue } = this.#parts;
    const names = this.#session
      .tools()
      .map(({ name }) => name)
      .filter((name) => this.#sees(name));
    const of = `${this.#parts.tenon.registry.generation} ${names.join(" ")}`;
    // The same list object while nothing changes, so that its serialized form can be cached.
    if (this.#listed?.of !== of)
      this.#listed = { of, tools: this.#shown(names.flatMap((name) => catalogue.of(name)?.tool ?? [])) };
    return this.#listed.tools;
  }

  #shown(tools: readonly HostTool[]): readonly HostTool[] {
    if (this.#listing === "compact") return tools.map(compactTool);
    // Only the tools that find the others, and the one that calls them.
    return this.#searches ? [...tools.filter(({ name }) => finders.has(name)), callTool] : tools;
  }

  /** The same limit as for the text: about four characters per token. */
  get #maxChars(): number {
    return this.#parts.tenon.config.tools.output.maxTokens * 4;
  }

  get #listing(): string {
    return this.#parts.asked.listing ?? this.#parts.tenon.config.tools.listing;
  }

  get #searches(): boolean {
    return this.#listing === "search";
  }

  newCallId(): string {
    return this.#parts.tenon.newCallId();
  }

  async call(call: HostCall): Promise<HostAnswer> {
    this.#expectServers();
    const { name: asked, arguments: given } = call;
    const { name, args } = this.#searches ? meantCall(asked, given) : { name: asked, args: given };
    const visible = !this.#narrowed || (await this.#isVisible(name));
    const meant = this.#parts.catalogue.behind(name)?.trueName ?? (await this.#meant(name));
    const wire = this.#parts.catalogue.behind(name);
    const session = visible ? this.#session : this.#blinded();
    const envelope = await this.#run(session, call, { name: meant, arguments: args ?? {} });
    if (envelope.success) for (const change of changesOf(envelope)) this.#parts.tell(change);
    const answered = wire ?? this.#parts.catalogue.of(envelope.toolName);
    return { envelope, wrapped: answered?.wrapped === true, maxChars: this.#maxChars };
  }

  #run(
    session: Session,
    { id = this.newCallId(), idempotencyKey, taskId, timeoutMs, signal, onProgress }: HostCall,
    { name, arguments: args }: Pick<ToolRequest, "name" | "arguments">,
  ): Promise<ToolEnvelope> {
    // A call that is known as running from its first moment on is stopped by its id.
    const isKnownAtOnce = session.isStarted && onProgress === undefined;
    const stop = signal instanceof AbortSignal || !isKnownAtOnce ? undefined : signal;
    // Set one by one: what V8 makes of spreads is slow to read, and a call is read many times.
    const request: { -readonly [Key in keyof ToolRequest]: ToolRequest[Key] } = { name, arguments: args, id };
    if (idempotencyKey !== undefined) request.idempotencyKey = idempotencyKey;
    if (taskId !== undefined) request.taskId = taskId;
    if (timeoutMs !== undefined) request.timeoutMs = timeoutMs;
    if (stop?.aborted !== false) request.signal = signal instanceof AbortSignal ? signal : signal.signal;
    if (onProgress !== undefined) return follow(session, request, onProgress);
    const answering = session.call(request);
    if (stop !== undefined) stop.onAbort = (reason) => void this.#parts.tenon.cancel(id, reason);
    return answering;
  }

  resources(asking: AskingRequest = {}): HostResources {
    this.#expectServers();
    return joinResources([...this.#parts.resources], this.#scope(asking));
  }

  prompts(asking: AskingRequest = {}): HostPrompts {
    this.#expectServers();
    const { prompts: globs } = this.#parts.asked;
    const isOffered = (name: string): boolean =>
      globs === undefined || globs.some((glob) => matchesName(glob, name));
    return joinPrompts([...this.#parts.prompts], { who: this.#scope(asking), isOffered });
  }

  get #caller() {
    const { client, endpoint } = this.#parts.asked;
    return { client, endpoint, sessionId: this.id };
  }

  /** What this session does first may start servers, and they are to be started for its host. */
  #expectServers(): void {
    if (this.#hasExpected) return;
    this.#hasExpected = true;
    this.#parts.tenon.mcp.expect(this.#caller);
  }

  #scope({ client = this.#parts.asked.client, onProgress }: AskingRequest): Omit<HostScope, "signal"> {
    return { session: this, client, servers: this.#parts.asked.servers, onProgress };
  }

  rootsChanged(): void {
    this.#parts.tenon.mcp.rootsChanged(this.id);
  }

  callerGone(callId: string): void {
    this.#parts.tenon.callerGone(callId);
  }

  async close(reason?: string): Promise<void> {
    await Promise.all([this.#session.close(reason), this.#blind?.close()]);
  }

  get #narrowed(): boolean {
    const { include, exclude, servers } = this.#parts.asked;
    return include !== undefined || exclude !== undefined || servers !== undefined;
  }

  /** The tool of a name that is not listed yet: a host may remember it from before its server was started. */
  async #meant(name: string): Promise<string> {
    const { tenon, catalogue } = this.#parts;
    if (tenon.registry.entry(name) !== undefined) return name;
    await tenon.ready().catch(() => undefined); // the call itself tells what is wrong
    return catalogue.behind(name)?.trueName ?? tenon.mcp.nameBehind(name) ?? name;
  }

  /** Whether the client's globs allow a tool; a tool that is still loading must be loaded to decide. */
  async #isVisible(name: string): Promise<boolean> {
    const { tenon, catalogue } = this.#parts;
    const find = (): string | undefined =>
      catalogue.behind(name)?.trueName ?? tenon.registry.entry(name)?.name ?? tenon.mcp.nameBehind(name);
    if (find() === undefined) await tenon.ready().catch(() => undefined); // the call itself tells what is wrong
    const trueName = find();
    return trueName !== undefined && this.#sees(trueName);
  }

  /** Whether the client's servers and globs allow a tool, by its registered or its wire name. */
  #sees(trueName: string): boolean {
    if (!this.#narrowed) return true;
    const { include, exclude, servers } = this.#parts.asked;
    const isOfServer = this.#parts.tenon.registry.entry(trueName)?.tool.category === "mcp";
    if (isOfServer && servers?.includes(trueName.slice(0, trueName.indexOf(":"))) === false) return false;
    const names = [trueName, this.#parts.catalogue.of(trueName)?.tool.name ?? trueName];
    const fits = (globs: readonly string[]): boolean =>
      globs.some((glob) => names.some((name) => matchesName(glob, name)));
    return (include === undefined || fits(include)) && !(exclude !== undefined && fits(exclude));
  }

  /** A tool hidden from a client does not exist for it: it is refused like an unknown tool, and recorded. */
  #blinded(): Session {
    const { registry } = this.#parts.tenon;
    if (!registry.toolsetNames().includes(nothing)) registry.defineToolset(nothing, ["!*"]);
    const { userId, principal, role, endpoint } = this.#session;
    this.#blind ??= this.#parts.tenon.createSession({
      toolset: nothing,
      agent: this.agent,
      clientInfo: this.#session.clientInfo,
      ...(userId !== undefined && { userId }),
      ...(principal !== undefined && { principal }),
      ...(role !== undefined && { role }),
      ...(endpoint !== undefined && { endpoint }),
    });
    return this.#blind;
  }
}

async function follow(
  session: Session,
  request: ToolRequest,
  onProgress: NonNullable<HostCall["onProgress"]>,
): Promise<ToolEnvelope> {
  for await (const item of session.stream(request)) {
    if (item.type === "result") return item.envelope;
    if (item.type === "TOOL_CALL_PROGRESS" && item.payload.parentCallId === undefined)
      onProgress(item.payload);
  }
  throw new ToolInternalError("A stream ended without its result.");
}

/** The tools that are listed instead of a large catalogue. */
const finders: ReadonlySet<string> = new Set(["tool_search", "describe_tool"]);

const callTool: HostTool = {
  name: "call_tool",
  title: "Call a tool",
  description:
    "Call a tool that tool_search found, with the arguments that describe_tool shows. The called tool's own checks apply.",
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "Name of the tool." },
      arguments: { type: "object", description: "Arguments of the tool." },
    },
    required: ["name"],
    additionalProperties: false,
  },
  annotations: { title: "Call a tool", readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

/** The actual call: `call_tool` is judged and recorded as the tool that it names. */
function meantCall(name: string, args: unknown): { readonly name: string; readonly args: unknown } {
  if (name !== callTool.name) return { name, args };
  const { name: meant, arguments: given } = Object(args) as Record<string, unknown>;
  return { name: typeof meant === "string" ? meant : name, args: given };
}
