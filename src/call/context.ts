import { resolve } from "node:path";
import type { ToolEnvelope, ToolRequest } from "../contract/call.js";
import type { ToolContext } from "../contract/context.js";
import type { Catalogue } from "../contract/ports/catalogue.js";
import type { ClientDoor } from "../contract/ports/client.js";
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
import type { CallScope, CallSession, CommandPaths } from "../contract/session.js";
import type { ToolProgress } from "../contract/tool.js";
import { policyCall } from "./authorise.js";
import { catalogueOf } from "./catalogue.js";
import { budgetOf, charsFor } from "./budget.js";
import { callBelow } from "./call-below.js";
import type { ResolvedCall, ValidatedCall } from "./call.js";
import { commandPathsOf } from "./command-paths.js";
import { pausedDoor } from "./paused-door.js";
import { report } from "./stream-output.js";
import { watchSeen } from "./watch-seen.js";

/** The context of a call, made when it is first needed and the same for all its stages. */
export function contextOf(call: ResolvedCall): ToolContext {
  return (call.context ??= new CallContext(call));
}

/** The call as the ports see it. */
export function scopeOf(call: ResolvedCall): CallScope {
  return contextOf(call) as CallContext;
}

/** A tool's way to the world. The doors are getters: most calls open none of them. */
class CallContext implements ToolContext, CallScope {
  readonly #call: ResolvedCall;
  #files: Files | undefined;
  #processes: Processes | undefined;
  #code: CodeSearch | undefined;
  #outputs: Outputs | undefined;
  #seen: SeenFiles | undefined;
  #http: Http | undefined;
  #store: Store | undefined;
  #interact: Interact | undefined;
  #client: ClientDoor | undefined;
  #log: Log | undefined;

  constructor(call: ResolvedCall) {
    this.#call = call;
  }

  get callId(): string {
    return this.#call.callId;
  }
  get rootCallId(): string {
    return this.#call.root.callId;
  }
  get toolName(): string {
    return this.#call.entry.name;
  }
  get session(): CallSession {
    return this.#call.session;
  }
  get sessionId(): string {
    return this.#call.session.id;
  }
  get taskId(): string | undefined {
    return this.#call.taskId;
  }
  get iterationId(): string | undefined {
    return this.#call.session.iterationId;
  }
  get agent(): string {
    return this.#call.session.agent;
  }
  get userId(): string | undefined {
    return this.#call.session.userId;
  }
  get allowedPaths(): readonly string[] | undefined {
    return this.#call.session.allowedPaths ?? this.#call.settings.allowedPaths;
  }
  get maxTextChars(): number {
    return charsFor(budgetOf(this.#call));
  }
  get maxTextTokens(): number {
    return budgetOf(this.#call).tokens;
  }
  get settings(): Readonly<Record<string, unknown>> {
    return this.#call.settings.custom;
  }
  get signal(): AbortSignal {
    return this.#call.abortSignal;
  }
  get env(): SessionEnv {
    return this.#call.session.env;
  }
  get clock(): Clock {
    return this.#call.parts.clock;
  }
  get files(): Files {
    return (this.#files ??= this.#call.parts.world.files(this));
  }
  get seen(): SeenFiles {
    if (this.#call.sightings === undefined) return this.#call.session.seen;
    return (this.#seen ??= watchSeen(this.#call));
  }
  get processes(): Processes {
    return (this.#processes ??= this.#call.parts.world.processes(this));
  }
  get code(): CodeSearch {
    return (this.#code ??= this.#call.parts.world.code(this));
  }
  get outputs(): Outputs {
    return (this.#outputs ??= this.#call.parts.world.outputs(this));
  }
  get http(): Http {
    return (this.#http ??= this.#call.parts.world.http(this));
  }
  get store(): Store {
    return (this.#store ??= this.#call.parts.world.store(this));
  }
  get interact(): Interact {
    return (this.#interact ??= this.#call.parts.world.interact(this));
  }
  get client(): ClientDoor | undefined {
    const { client } = this.#call.session;
    if (client === undefined) return undefined;
    return (this.#client ??= pausedDoor(client.forCall?.(this.rootCallId) ?? client, this.#call));
  }
  get tools(): Catalogue {
    return catalogueOf(this.#call);
  }
  get log(): Log {
    return (this.#log ??= this.#call.parts.world.log(this));
  }

  emit = (progress: ToolProgress | string): void => report(this.#call, progress);

  call = (request: Omit<ToolRequest, "signal" | "taskId">): Promise<ToolEnvelope> =>
    callBelow(this.#call, request);

  readable(): ((path: string) => boolean) | undefined {
    return this.#call.parts.policy.pathFilter(policyCall(this.#call as ValidatedCall));
  }

  commandPaths(): CommandPaths | undefined {
    return commandPathsOf(this.#call as ValidatedCall);
  }

  changes(): readonly string[] {
    const { changes = [], writes } = policyCall(this.#call as ValidatedCall);
    const named = writes.flatMap((each) => ("path" in each ? [each.path] : []));
    const { world } = this.#call.parts;
    const root = world.root?.() ?? world.canonicalPath(".");
    return [...new Set([...changes, ...named])].map((path) => resolve(root, world.canonicalPath(path)));
  }

  pauseClock(): () => void {
    return this.#call.pauseClock();
  }

  used(use: Parameters<NonNullable<CallScope["used"]>>[0]): void {
    this.#call.settings.meter.resources(use);
  }
}
