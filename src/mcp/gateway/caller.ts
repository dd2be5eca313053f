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

/** What the host declared, and nothing else: a server must not ask what the host cannot answer. */
export function capabilitiesOf({ client, interact }: PartialCaller): Capabilities {
  if (client === undefined) return interact === undefined ? {} : { elicitation: { form: {}, url: {} } };
  const { capabilities, supports } = client;
  if (capabilities !== undefined) {
    return Object.fromEntries(
      askable.flatMap((key) => (isRecord(capabilities[key]) ? [[key, capabilities[key]]] : [])),
    );
  }
  const { elicitForm, elicitUrl, sample } = supports;
  return {
    ...((elicitForm || elicitUrl) && {
      elicitation: { ...(elicitForm && { form: {} }), ...(elicitUrl && { url: {} }) },
    }),
    ...(sample && { sampling: {} }),
  };
}

/** A call of a server on behalf of a caller. */
export function callFor(
  caller: PartialCaller,
  { signal, onProgress }: Pick<UpstreamCall, "signal" | "onProgress">,
): UpstreamCall {
  const { meta, extras, logLevel, era } = caller.client ?? {};
  return {
    signal,
    capabilities: capabilitiesOf(caller),
    owner: ownerOfCaller(caller),
    ...(onProgress !== undefined && { onProgress }),
    ...(meta !== undefined && { meta }),
    ...(extras !== undefined && { extras }),
    ...(logLevel !== undefined && { logLevel }),
    ...(era !== undefined && { era }),
  };
}

/** The same text for the same capabilities, whatever the order of their keys. */
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
