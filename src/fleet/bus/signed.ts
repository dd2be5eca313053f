import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import type * as z from "zod";
import type { FrontKey, Signature, TrustedFronts } from "../keys.js";
import { headerNames, maxAgeMs, protocolVersion, speaksVersion } from "../protocol.js";
import { unpack } from "./carry.js";
import type { Bus } from "./open-bus.js";

export interface SignOptions {
  readonly bus: Pick<Bus, "newHeaders">;
  readonly key: FrontKey;
  readonly version?: number | undefined;
}

/** Sign a message for one subject. */
export function sign({ bus, key, version }: SignOptions, subject: string, payload: Uint8Array): MsgHdrs {
  return toHeaders({ bus, key, version }, key.sign({ subject, payload }));
}

/** The headers of a message that was signed. */
export function toHeaders(
  { bus, key, version = protocolVersion }: SignOptions,
  { signature, batch }: Signature,
): MsgHdrs {
  const headers = bus.newHeaders();
  headers.set(headerNames.version, String(version));
  headers.set(headerNames.front, key.id);
  headers.set(headerNames.signature, signature);
  if (batch !== undefined) headers.set(headerNames.batch, batch);
  return headers;
}

/** Why a message is not obeyed. */
export class RefusedMessage extends Error {
  /** Somebody sent what a front had sent before: that front must not hear of it, as its own call may still run. */
  readonly isReplay: boolean;

  constructor(message: string, { isReplay = false }: { readonly isReplay?: boolean } = {}) {
    super(message);
    this.isReplay = isReplay;
  }
}

export interface ReadOptions {
  readonly bus: Pick<Bus, "objects" | "tenant">;
  readonly fronts: TrustedFronts;
  readonly version?: number | undefined;
}

interface SignedBody {
  readonly tenant: string;
  readonly issuedAt: number;
}

/**
 * Read a signed message: of a version that is understood, by a front that is trusted, for this subject and tenant,
 * sent now and not a while ago. Throws a `RefusedMessage` otherwise.
 * @param writtenAt When the server took it; no clock of a machine counts.
 */
export async function readSigned<T extends SignedBody>(
  message: Pick<Msg, "subject" | "data"> & { readonly headers?: MsgHdrs | undefined },
  schema: z.ZodType<T>,
  { bus, fronts, version = protocolVersion, writtenAt }: ReadOptions & { readonly writtenAt: number },
): Promise<T> {
  const { subject, data, headers } = message;
  const spoken = Number(headers?.get(headerNames.version));
  if (!speaksVersion(spoken, version))
    throw new RefusedMessage(
      `A front speaks version ${String(spoken)} of the protocol, this worker ${version}: update the older one.`,
    );
  const front = headers?.get(headerNames.front) ?? "";
  const signature = headers?.get(headerNames.signature) ?? "";
  const batch = headers?.get(headerNames.batch) || undefined;
  if (!(await fronts.hasSigned(front, { signature, batch }, { subject, payload: data })))
    throw new RefusedMessage("A message is not signed by a front that is trusted.");
  const read = schema.safeParse(await unpack(bus, data));
  if (!read.success) throw new RefusedMessage(`Malformed message: ${read.error.issues[0]?.message ?? ""}`);
  const { tenant, issuedAt } = read.data;
  if (tenant !== bus.tenant) throw new RefusedMessage("A message is for another tenant.");
  if (Math.abs(writtenAt - issuedAt) > maxAgeMs)
    throw new RefusedMessage("A message was signed long before it was sent.", { isReplay: true });
  return read.data;
}
