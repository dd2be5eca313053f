import { ToolPermissionError } from "../contract/errors.js";
import type { ApprovalRequest } from "../contract/ports/interact.js";
import { announce } from "./announce.js";
import type { ValidatedCall } from "./call.js";
import type { ConsentDesk } from "./consent-desk.js";

export interface WatchOptions {
  readonly desk: ConsentDesk;
  readonly pageTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Why another channel could not be asked. */
  readonly failure: unknown;
}

const lookEveryMs = 1000;
const remindEveryMs = 10_000;

/**
 * Only a console can answer now: lead the caller to it, and give up where no page of it has been open for too
 * long, so that nobody waits in silence. Resolves never; rejects where nobody can answer.
 */
export async function watchPages(
  call: ValidatedCall,
  request: ApprovalRequest,
  { desk, pageTimeoutMs, signal, failure }: WatchOptions,
): Promise<void> {
  const { clock } = call.parts;
  const open = request.channels.includes("console") || request.channels.includes("api");
  let reach = open ? await desk.reach() : undefined;
  if (reach === undefined) throw failure ?? new Error("nobody is there");
  const link = approvalLink(reach.url, request.id);
  let seenAt = Math.max(request.requestedAt, reach.pageSeenAt);
  let remindedAt = -Infinity;
  showLink(call, request, { link, signal });
  for (;;) {
    signal.throwIfAborted();
    if (clock.now() - remindedAt >= remindEveryMs) {
      remindedAt = clock.now();
      remind(call, request, link);
    }
    const left = pageTimeoutMs - (clock.now() - seenAt);
    if (left <= 0) throw nobodyLooks(call, { link, waitedMs: pageTimeoutMs });
    await clock.sleep(Math.min(lookEveryMs, left), signal);
    reach = await desk.reach();
    if (reach === undefined) throw new Error("the console that could answer has ended");
    seenAt = Math.max(seenAt, reach.pageSeenAt);
  }
}

/** Where a request can be answered: it holds no secret, so that it can be shown to anybody. */
export function approvalLink(url: string, id: string): string {
  return `${url}/#/approvals/${encodeURIComponent(id)}`;
}

interface Shown {
  readonly link: string;
  readonly signal: AbortSignal;
}

/** A host that can open addresses is asked to; what it says to that is no answer. */
function showLink(call: ValidatedCall, request: ApprovalRequest, { link, signal }: Shown): void {
  const { client } = call.session;
  const door = client?.forCall?.(call.root.callId) ?? client;
  const message = `A person must allow ${request.toolName} in Tenon's console.`;
  door?.openUrl?.({ id: request.id, url: link, message }, signal);
}

/** Also keeps hosts from giving up on a call that waits. */
function remind(call: ValidatedCall, { toolName }: ApprovalRequest, link: string): void {
  const message = `${toolName} waits for a person's consent: ${link}`;
  announce(call.root, "TOOL_CALL_PROGRESS", () => ({ message }));
}

function nobodyLooks(
  call: ValidatedCall,
  { link, waitedMs }: { readonly link: string; readonly waitedMs: number },
): ToolPermissionError {
  return new ToolPermissionError(
    `consent is needed, and no page of the console was open for ${Math.round(waitedMs / 1000)} s.`,
    {
      code: "APPROVAL_UNAVAILABLE",
      toolName: call.entry.name,
      hint: `Let a person open ${link}, then call again.`,
      details: { link },
    },
  );
}
