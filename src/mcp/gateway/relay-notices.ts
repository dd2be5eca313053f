import type { HostChange } from "../../contract/host.js";
import type { UpstreamCall } from "../../contract/ports/upstream.js";
import { ownFields, smallFields } from "../client/own-fields.js";
import type { ServerNotice } from "../client/server-connection.js";
import { callerOf, type Caller } from "./caller.js";

export interface RelayOptions {
  readonly server: string;
  /** The only session that has used the connection, where there is just one. */
  readonly onlyCaller: () => Caller | undefined;
  readonly onChange: (change: HostChange) => void;
  /** The only session that the connection is for. */
  readonly session: () => string | undefined;
  readonly onFault: (message: string) => void;
  readonly now: () => number;
}

/** Log messages in a second that a host is sent; what is more is counted. */
const maxLogs = 500;

/** Pass on what a server says without being asked, to the one session that it can belong to. */
export function createRelay(options: RelayOptions): ServerNotice {
  const { onFault, now } = options;
  let second = 0;
  let logs = 0;
  return (method, params, calls) => {
    const change = changeOf(method, params, options);
    if (change !== undefined) return options.onChange(change);
    if (method !== "notifications/message" && method !== "notifications/elicitation/complete") return;
    const client = callerFor(calls, options)?.client;
    if (client === undefined) return;
    const at = Math.floor(now() / 1000);
    if (at !== second) {
      if (logs > maxLogs)
        client.log("warning", `${logs - maxLogs} log messages were dropped`, options.server);
      second = at;
      logs = 0;
    }
    logs += 1;
    if (logs === maxLogs + 1)
      onFault(`it sent more than ${maxLogs} log messages in a second; the rest was dropped`);
    if (logs <= maxLogs) client.notify?.(method, params);
  };
}

/** What a server says of its lists and resources, with all parameters. */
function changeOf(
  method: string,
  params: Readonly<Record<string, unknown>>,
  { server, session }: RelayOptions,
): HostChange | undefined {
  const { uri, ...others } = ownFields(params);
  const more = smallFields(others, maxParamChars);
  const source = { server, session: session(), ...(more !== undefined && { params: more }) };
  if (method === "notifications/resources/list_changed") return { kind: "resources", ...source };
  if (method === "notifications/prompts/list_changed") return { kind: "prompts", ...source };
  const isUpdate = method === "notifications/resources/updated" && typeof uri === "string";
  return isUpdate ? { kind: "resource", uri, ...source } : undefined;
}

const maxParamChars = 65_536;

/** What concerns one session must not reach another. */
function callerFor(calls: readonly UpstreamCall[], { onlyCaller }: RelayOptions): Caller | undefined {
  const callers = calls.flatMap((call) => callerOf(call) ?? []);
  if (callers.length === 0) return onlyCaller();
  const sessions = new Set(callers.map(({ sessionId }) => sessionId));
  return sessions.size === 1 ? callers.at(-1) : undefined;
}
