import type { Msg } from "@nats-io/transport-node";
import { ToolError, ToolInternalError } from "../../contract/errors.js";
import type { HostAnswer } from "../../contract/host.js";
import { messageOf } from "../../contract/message-of.js";
import type { ClientConnection } from "../../contract/ports/client.js";
import { fleetAway, outcomeUnknown, workspaceAway } from "../bus/fleet-error.js";
import { failedEnvelope } from "../failed-envelope.js";
import type { ClientFacts } from "../protocol.js";
import type { FleetCall } from "./pending-call.js";

/** What the worker is told of the MCP host. */
export function clientOf(client: ClientConnection | undefined): { readonly client?: ClientFacts } {
  if (client === undefined) return {};
  const { info, supports, capabilities, era, logLevel, meta, extras } = client;
  return {
    client: {
      supports,
      ...(info !== undefined && { info: { ...info } }),
      ...(capabilities !== undefined && { capabilities: { ...capabilities } }),
      ...(era === "modern" && { parks: true }),
      ...(logLevel !== undefined && { logLevel }),
      ...(meta !== undefined && { meta: { ...meta } }),
      ...(extras !== undefined && { extras: { ...extras } }),
    },
  };
}

/** Nobody can say whether the call was made. */
export function unknownOutcome({ call }: { readonly call: FleetCall }, why: string): ToolError {
  const isKeyed = call.idempotencyKey !== undefined;
  return outcomeUnknown(
    `${why.replace(/\.$/, "")}: it is not known whether the call was made.`,
    isKeyed
      ? "Make it again with the same idempotency key: it is not done twice."
      : `Ask for its result with the id ${call.id} before you make it again.`,
    isKeyed,
  );
}

/** It was never sent: no worker took its workspace in time. */
export function notPlaced(workspace: string, limitMs: number): ToolError {
  return workspaceAway(
    `No worker took the workspace "${workspace}" within ${limitMs} ms, so the call was not made.`,
    "Make the call again.",
  );
}

/** Why a stream has not taken a call: it is full, or nobody knows. */
export function publishFault(pending: { readonly call: FleetCall }, cause: unknown): ToolError {
  if (/maximum bytes|maximum messages|resource limits/i.test(messageOf(cause)))
    return fleetAway(
      "Too many calls wait already, so this one was not made.",
      "Start more workers, or try again later.",
    );
  return unknownOutcome(pending, "NATS did not say whether it took the call");
}

/** Its worker had it, and had not begun it. */
export function notBegun(limitMs: number): ToolError {
  return workspaceAway(
    `The worker could not begin the call within ${limitMs} ms, so it was not made.`,
    "Make the call again.",
  );
}

/** The answer of a call that reached no worker, or whose worker nobody hears. */
export function failedAnswer({ id, name, session }: FleetCall, cause: unknown): HostAnswer {
  const fault = cause instanceof ToolError ? cause : new ToolInternalError(messageOf(cause), { cause });
  const { code, message, hint, retryable } = fault;
  const type = fault.constructor.name;
  const error = { type, code, message, retryable, ...(hint !== undefined && { hint }) };
  const envelope = failedEnvelope({ callId: id, toolName: name, sessionId: session.id, error });
  return { envelope, wrapped: false, maxChars: 100_000 };
}

/** A tool asks the host something. */
export async function askHost(
  message: Msg,
  client: ClientConnection | undefined,
  {
    method,
    params,
    signal,
  }: {
    readonly method: string;
    readonly params: Record<string, unknown>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  try {
    if (client?.request === undefined) throw new ToolInternalError("The host cannot be asked.");
    message.respond(JSON.stringify({ value: await client.request(method, params, signal) }));
  } catch (cause) {
    message.respond(JSON.stringify({ error: { code: "INTERACTION_FAILED", message: messageOf(cause) } }));
  }
}
