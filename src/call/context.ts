import { resolve } from "node:path";
import type { CallMetadata, ToolEnvelope } from "../contract/call.js";
import type { ToolContext } from "../contract/context.js";
import type { Catalogue } from "../contract/ports/catalogue.js";
import type { ClientConnection } from "../contract/ports/client.js";
import type { Clock } from "../contract/ports/clock.js";
import type { CodeSearch } from "../contract/ports/code.js";
import type { SessionEnv } from "../contract/ports/env.js";
import type { Files } from "../contract/ports/files.js";
import type { Http } from "../contract/ports/http.js";
import type { Interact } from "../contract/ports/interact.js";
import type { Log } from "../contract/ports/log.js";
import type { Outputs } from "../contract/ports/outputs.js";
import type { Processes } from "../contract/ports/processes.js";
import type { SeenFiles } from "../contract/ports/seen.js";
import type { Store } from "../contract/ports/store.js";
import type { OnStop } from "../contract/ports/upstream.js";
import type { CallScope, CallSession, CommandPaths } from "../contract/session.js";
import type { ShellFacts, ToolProgress } from "../contract/tool.js";
import { toRequest } from "../contract/to-request.js";
import { askAfterOf } from "./ask-after.js";
import { catalogueOf } from "./catalogue.js";
import { budgetOf, charsFor } from "./budget.js";
import type { CallState } from "./call-state.js";
import { commandPathsOf } from "./command-paths.js";
import { callNested } from "./nested-call.js";
import type { ResolvedCall } from "./resolve.js";
import { report } from "./stream-output.js";
import { policyCall } from "./validate.js";

/** Return the context of a call, which is created on first use and shared by all stages. */
export function contextOf(call: ResolvedCall): ToolContext {
  return (call.state.context ??= new CallContext(call));
}

/** The call as the ports see it. */
export function scopeOf(call: ResolvedCall): CallScope {
  return contextOf(call) as CallContext;
}

/** A tool's access to the world. The ports are getters: most calls use none of them. */
class CallContext implements ToolContext, CallScope {
  readonly callId: string;
  readonly toolName: string;
  readonly session: CallSession;
  readonly taskId: string | undefined;
  readonly #call: ResolvedCall;
  readonly #state: CallState;
  #files: Files | undefined;
  #processes: Processes | undefined;
  #code: CodeSearch | undefined;
  #outputs: Outputs | undefined;
  #seen: SeenFiles | undefined;
  #http: Http | undefined;
  #store: Store | undefined;
  #interact: Interact | undefined;
  #client: ClientConnection | undefined;
  #log: Log | undefined;

  constructor(call: ResolvedCall) {
    this.#call = call;
    this.#state = call.state;
    this.callId = call.received.callId;
    this.toolName = call.entry.name;
    this.session = call.state.session;
    this.taskId = call.received.taskId;
  }

  get rootCallId(): string {
    return this.#call.received.root.callId;
  }
  get sessionId(): string {
    return this.#state.session.id;
  }
  get iterationId(): string | undefined {
    return this.#state.session.iterationId;
  }
  get agent(): string {
    return this.#state.session.agent;
  }
  get userId(): string | undefined {
    return this.#state.session.userId;
  }
  get endpoint(): string | undefined {
    return this.#state.session.endpoint;
  }
  get allowedPaths(): readonly string[] | undefined {
    return this.#state.session.allowedPaths ?? this.#call.settings.allowedPaths;
  }
  get maxTextChars(): number {
    return charsFor(budgetOf(this.#state));
  }
  get maxTextTokens(): number {
    return budgetOf(this.#state).tokens;
  }
  get settings(): Readonly<Record<string, unknown>> {
    return this.#call.settings.custom;
  }
  get isAborted(): boolean {
    return this.#state.aborted !== undefined;
  }
  get signal(): AbortSignal {
    return this.#state.abortSignal;
  }
  get shell(): ShellFacts | undefined {
    return this.#state.validated?.shell?.analysis;
  }
  get env(): SessionEnv {
    return this.#state.session.env;
  }
  get clock(): Clock {
    return this.#state.parts.clock;
  }
  get files(): Files {
    return (this.#files ??= this.#state.parts.world.files(this));
  }
  get seen(): SeenFiles {
    if (this.#state.sightings === undefined) return this.#state.session.seen;
    return (this.#seen ??= watchSeen(this.#state));
  }
  get processes(): Processes {
    return (this.#processes ??= this.#state.parts.world.processes(this));
  }
  get code(): CodeSearch {
    return (this.#code ??= this.#state.parts.world.code(this));
  }
  get outputs(): Outputs {
    return (this.#outputs ??= this.#state.parts.world.outputs(this));
  }
  get http(): Http {
    return (this.#http ??= this.#state.parts.world.http(this));
  }
  get store(): Store {
    return (this.#store ??= this.#state.parts.world.store(this));
  }
  get interact(): Interact {
    return (this.#interact ??= this.#state.parts.world.interact(this));
  }
  get client(): ClientConnection | undefined {
    const { client } = this.#state.session;
    if (client === undefined) return undefined;
    return (this.#client ??= new PausedClient(client.forCall?.(this.rootCallId) ?? client, this.#state));
  }
  get tools(): Catalogue {
    return catalogueOf(this.#state);
  }
  get log(): Log {
    return (this.#log ??= this.#state.parts.world.log(this));
  }

  note = (facts: Partial<CallMetadata>): void => this.#state.note(facts);

  onStop: OnStop = (listener) => this.#state.onAbort(listener);

  emit = (progress: ToolProgress | string): void => report(this.#call.received, progress);

  call = ((target: unknown, input?: unknown, options?: unknown): Promise<ToolEnvelope> =>
    callNested(this.#call.received, toRequest(target, input, options))) as ToolContext["call"];

  /** A call whose input is not known to be valid reads nothing. */
  readable(): ((path: string) => boolean) | undefined {
    const { validated, parts } = this.#state;
    return validated === undefined ? () => false : parts.policy.pathFilter(policyCall(validated));
  }

  changeable(path: string): boolean {
    const { validated, parts } = this.#state;
    return validated === undefined || parts.policy.mayChange(policyCall(validated), path);
  }

  commandPaths(): CommandPaths | undefined {
    const { validated } = this.#state;
    return validated && commandPathsOf(validated);
  }

  changes(): readonly string[] {
    const { validated, parts } = this.#state;
    if (validated === undefined) return [];
    const { changes = [], writes } = policyCall(validated);
    const named = writes.flatMap((each) => ("path" in each ? [each.path] : []));
    const { world } = parts;
    const root = world.root?.() ?? world.canonicalPath(".");
    return [...new Set([...changes, ...named])].map((path) => resolve(root, world.canonicalPath(path)));
  }

  get askAfter(): CallScope["askAfter"] {
    return askAfterOf(this.#state);
  }

  pauseClock(): () => void {
    return this.#state.pauseClock();
  }

  used(use: Parameters<NonNullable<CallScope["used"]>>[0]): void {
    this.#call.settings.meter.resources(use);
  }
}

/** The host's client for one call: its time limit is paused while a person answers. */
class PausedClient implements ClientConnection {
  readonly #client: ClientConnection;
  readonly #call: CallState;

  constructor(client: ClientConnection, call: CallState) {
    this.#client = client;
    this.#call = call;
  }

  get supports(): ClientConnection["supports"] {
    return this.#client.supports;
  }
  get capabilities(): ClientConnection["capabilities"] {
    return this.#client.capabilities;
  }
  get reports(): boolean | undefined {
    return this.#client.reports;
  }
  get meta(): ClientConnection["meta"] {
    return this.#client.meta;
  }
  get extras(): ClientConnection["extras"] {
    return this.#client.extras;
  }
  get era(): ClientConnection["era"] {
    return this.#client.era;
  }
  get logLevel(): string | undefined {
    return this.#client.logLevel;
  }
  get request(): ClientConnection["request"] {
    const { request } = this.#client;
    if (request === undefined) return undefined;
    const ask: NonNullable<ClientConnection["request"]> = (...asked) => request.apply(this.#client, asked);
    return (...asked) =>
      asked[0] === "elicitation/create" ? this.#paused(() => ask(...asked)) : ask(...asked);
  }

  elicit(...asked: Parameters<ClientConnection["elicit"]>): ReturnType<ClientConnection["elicit"]> {
    return this.#paused(() => this.#client.elicit(...asked));
  }

  sample(...asked: Parameters<ClientConnection["sample"]>): ReturnType<ClientConnection["sample"]> {
    return this.#client.sample(...asked);
  }

  log(...message: Parameters<ClientConnection["log"]>): void {
    this.#client.log(...message);
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    this.#client.notify?.(method, params);
  }

  async #paused<T>(asking: () => Promise<T>): Promise<T> {
    const resume = this.#call.pauseClock();
    try {
      return await asking();
    } finally {
      resume();
    }
  }
}

/** The session's record of seen files; what this call shows of them is noted for the cache. */
function watchSeen(call: CallState): SeenFiles {
  const { seen } = call.session;
  const forgetSightings = (): void => {
    call.sightings = undefined; // only calls that just read files can be cached
  };
  return {
    load: (path) => seen.load(path),
    get: (path) => seen.get(path),
    note(path, sighting) {
      call.sightings?.push({ path, sighting });
      seen.note(path, sighting);
    },
    set(path, file) {
      forgetSightings();
      seen.set(path, file);
    },
    forget(path) {
      forgetSightings();
      seen.forget(path);
    },
    move(from, to) {
      forgetSightings();
      seen.move(from, to);
    },
  };
}
