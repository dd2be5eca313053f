import { ToolPermissionError } from "../contract/errors.js";
import type { ApprovalRequest } from "../contract/ports/interact.js";
import { announce } from "./record.js";
import type { ConsentDesk } from "./consent-desk.js";
import type { ValidatedCall } from "./validate.js";

export interface WatchOptions {
  readonly desk: ConsentDesk;
  readonly pageTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Why another channel could not be asked. */
  readonly failure: unknown;
}

const checkEveryMs = 1000;
const remindEveryMs = 10_000;

/**
 * Only a console can answer now: point the caller to it, and give up if none of its pages has been open for too
 * long. Never resolves; rejects if nobody can answer.
 */
export async function watchPages(
  call: ValidatedCall,
  request: ApprovalRequest,
  { desk, pageTimeoutMs, signal, failure }: WatchOptions,
): Promise<void> {
  const { clock } = call.state.parts;
  const open = request.channels.includes("console") || request.channels.includes("api");
  let reach = open ? await desk.reach() : undefined;
  if (reach === undefined) throw failure ?? new Error("no console is running");
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
    if (left <= 0) throw noPageOpen(call, { link, waitedMs: pageTimeoutMs });
    await clock.sleep(Math.min(checkEveryMs, left), signal);
    reach = await desk.reach();
    if (reach === undefined) throw new Error("the console that could answer has ended");
    seenAt = Math.max(seenAt, reach.pageSeenAt);
  }
}

/** Where a request can be answered. It contains no secret, so it can be shown to anyone. */
function approvalLink(url: string, id: string): string {
  return `${url}/#/approvals/${encodeURIComponent(id)}`;
}

interface Shown {
  readonly link: string;
  readonly signal: AbortSignal;
}

/** Ask a host that can open URLs to open it; its reply does not count as an answer. */
function showLink(call: ValidatedCall, request: ApprovalRequest, { link, signal }: Shown): void {
  const { client } = call.state.session;
  const connection = client?.forCall?.(call.received.root.callId) ?? client;
  const message = `A person must allow ${request.toolName} in Tenon's console.`;
  connection?.openUrl?.({ id: request.id, url: link, message }, signal);
}

/** Report progress, which also keeps hosts from giving up on a waiting call. */
function remind(call: ValidatedCall, { toolName }: ApprovalRequest, link: string): void {
  const message = `${toolName} waits for a person's consent: ${link}`;
  announce(call.received.root, "TOOL_CALL_PROGRESS", () => ({ message }));
}

function noPageOpen(
  call: ValidatedCall,
  { link, waitedMs }: { readonly link: string; readonly waitedMs: number },
): ToolPermissionError {
  return new ToolPermissionError(
    `consent is needed, and no page of the console was open for ${Math.round(waitedMs / 1000)} s.`,
    {
      code: "APPROVAL_UNAVAILABLE",
      toolName: call.entry.name,
      hint: `Ask a person to open ${link}, then call again.`,
      details: { link },
    },
  );
}
