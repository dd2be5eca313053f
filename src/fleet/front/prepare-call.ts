import { pack } from "../bus/carry.js";
import type { CallMessage } from "../protocol.js";
import { clientOf } from "./call-facts.js";
import type { FrontCallsOptions } from "./front-calls.js";
import type { FleetCall } from "./pending-call.js";

/** A call, ready to be sent. */
export interface Prepared {
  readonly subject: string;
  readonly payload: Uint8Array;
}

/** Pack a call, in the name of its session. */
export async function prepareCall(
  options: FrontCallsOptions,
  call: FleetCall,
  proof: string,
): Promise<Prepared> {
  const { bus, id, roster } = options;
  const body: CallMessage = {
    tenant: bus.tenant,
    workspace: call.workspace,
    issuedAt: roster.clock.now(),
    callId: call.id,
    front: id,
    proof,
    session: call.session,
    name: call.name,
    arguments: call.arguments,
    ...clientOf(call.client?.forCall?.(call.id) ?? call.client),
    ...(call.idempotencyKey !== undefined && { idempotencyKey: call.idempotencyKey }),
    ...(call.taskId !== undefined && { taskId: call.taskId }),
    ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs }),
    ...(call.onProgress !== undefined && { reports: true }),
  };
  const subject = bus.names.call(call.workspace, call.session.id, call.session.priority);
  return { subject, payload: await pack(bus, body) };
}
