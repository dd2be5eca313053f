import { isRecord } from "../../contract/is-record.js";
import { ownerOfSession } from "../../contract/ownership.js";
import type { ClientConnection } from "../../contract/ports/client.js";
import type { Interact } from "../../contract/ports/interact.js";
import type { SecretScope } from "../../contract/ports/secrets.js";
import type { ProtocolEra, UpstreamCall } from "../../contract/ports/upstream.js";

/** For whom a server works: the session, its MCP host, or the person of a session without one. */
export interface Caller {
  readonly sessionId: string;
  /** The MCP endpoint that the session came through. */
  readonly endpoint?: string | undefined;
  readonly client?: ClientConnection | undefined;
  readonly interact?: Interact | undefined;
}

/** What a caller can be asked, as MCP's client capabilities. */
export type Capabilities = Readonly<Record<string, unknown>>;

/** What a connection is made for: what its callers can be asked, and the era that they speak. */
export interface Profile {
  readonly capabilities?: Capabilities | undefined;
  readonly era?: ProtocolEra | undefined;
  /** Whose secrets the server is given, where it needs some. @default those for everybody */
  readonly owner?: SecretScope | undefined;
  /** The session that it is made for first. */
  readonly session?: string | undefined;
}

/** The profile of a caller. */
export function profileOf(caller: PartialCaller): Profile {
  const { client, sessionId: session } = caller;
  return { capabilities: capabilitiesOf(caller), era: client?.era, owner: ownerOfCaller(caller), session };
}

/** A caller that may have no session yet. */
export type PartialCaller = Omit<Caller, "sessionId"> & { readonly sessionId?: string | undefined };

function ownerOfCaller({ sessionId, endpoint }: PartialCaller): SecretScope {
  return { user: sessionId === undefined ? undefined : ownerOfSession(sessionId), endpoint };
}

const askable = ["elicitation", "sampling", "roots"] as const;
const none: Capabilities = {};

/** What the host declared, and nothing else: a server must not ask what the host cannot answer. */
export function capabilitiesOf({ client, interact }: PartialCaller): Capabilities {
  if (client === undefined) return interact === undefined ? none : { elicitation: { form: {}, url: {} } };
  const { capabilities } = client;
  if (capabilities !== undefined) {
    const declared = askable.filter((key) => isRecord(capabilities[key]));
    if (declared.length === 0) return none;
    return Object.fromEntries(declared.map((key) => [key, capabilities[key]]));
  }
  const { elicitForm, elicitUrl, sample } = client.supports;
  return {
    ...((elicitForm || elicitUrl) && {
      elicitation: { ...(elicitForm && { form: {} }), ...(elicitUrl && { url: {} }) },
    }),
    ...(sample && { sampling: {} }),
  };
}

/** A call of a server on behalf of a caller. */
export class CallForCaller implements UpstreamCall {
  readonly caller: PartialCaller;
  readonly capabilities: Capabilities;
  readonly meta: UpstreamCall["meta"];
  readonly extras: UpstreamCall["extras"];
  readonly logLevel: string | undefined;
  readonly era: ProtocolEra | undefined;
  readonly onProgress: UpstreamCall["onProgress"];
  private readonly stop: Pick<UpstreamCall, "signal" | "onStop">;

  constructor(
    caller: PartialCaller,
    stop: Pick<UpstreamCall, "signal" | "onStop">,
    onProgress?: UpstreamCall["onProgress"],
  ) {
    const { client } = caller;
    this.caller = caller;
    this.stop = stop;
    this.capabilities = capabilitiesOf(caller);
    this.onProgress = onProgress;
    this.meta = client?.meta;
    this.extras = client?.extras;
    this.logLevel = client?.logLevel;
    this.era = client?.era;
  }

  /** Made on first use: most calls do without. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  get onStop(): UpstreamCall["onStop"] {
    return this.stop.onStop;
  }

  get owner(): SecretScope {
    return ownerOfCaller(this.caller);
  }
}

/** For whom a call is made, where it is made for a session. */
export function callerOf(call: UpstreamCall): Caller | undefined {
  const { caller } = call as Partial<CallForCaller>;
  return caller?.sessionId === undefined ? undefined : (caller as Caller);
}

/** The same text for the same capabilities, in whatever order their keys are. */
export function capabilityKey(capabilities: Capabilities): string {
  if (Object.keys(capabilities).length === 0) return "{}"; // most hosts, and it is asked for with every call
  return JSON.stringify(capabilities, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

/** Names what a server offers to such hosts: many of the 2025 revisions offer more to those that can be asked more. */
export function listingKey(kind: ProtocolEra, capabilities: Capabilities = {}): string {
  if (kind === "modern" || Object.keys(capabilities).length === 0) return kind;
  return `${kind} ${capabilityKey(capabilities)}`;
}
