import type { ServerEvent } from "@modelcontextprotocol/server";
import type { HostChange } from "../../contract/host.js";

/** A change as the protocol says it. */
export interface ChangeNotice {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** The notification of a change, as the host of this session hears it. */
export function toNotice(change: HostChange, sessionId: string): ChangeNotice {
  const isTold = change.session === undefined || change.session === sessionId;
  const params = isTold ? change.params : undefined;
  if (change.kind === "resource")
    return { method: "notifications/resources/updated", params: { ...params, uri: change.uri } };
  return { method: `notifications/${change.kind}/list_changed`, ...(params !== undefined && { params }) };
}

/** The same for the SDK's subscriptions of 2026-07-28 over HTTP. */
export function toServerEvent({ method, params }: ChangeNotice): ServerEvent {
  const { uri } = params ?? {};
  const more = params === undefined ? {} : { params };
  if (typeof uri === "string") return { kind: "resource_updated", uri, ...more };
  const list = method.split("/")[1] as "tools" | "resources" | "prompts";
  return { kind: `${list}_list_changed`, ...more };
}
