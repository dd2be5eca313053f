import type { UpstreamCall } from "../../contract/ports/upstream.js";
import type { ServerConnection } from "../client/server-connection.js";
import type { ServerOptions } from "../client/server-options.js";
import type { OpenServer } from "./server-link.js";

type Hide = <T>(value: T) => T;

/** Open connections whose servers cannot give away what is hidden: in results, errors, lists, notices, questions or logs. */
export function hidingOpen(open: OpenServer, hide: Hide): OpenServer {
  return async (server, spec, options) => {
    return hidingConnection(await open(server, spec, hidingEvents(options, hide)), hide);
  };
}

function hidingEvents<O extends ServerOptions>(options: O, hide: Hide): O {
  const { onNotice, answer, onLog, onFault, onLost } = options;
  return {
    ...options,
    onNotice: onNotice && ((method, params, calls) => onNotice(method, hide(params), calls)),
    answer: answer && ((request, calls) => answer({ ...request, params: hide(request.params) }, calls)),
    onLog: onLog && ((line) => onLog(hide(line))),
    onFault: onFault && ((message) => onFault(hide(message))),
    onLost: onLost && ((reason) => onLost(hide(reason))),
  };
}

/** The same call, whose progress is searched. */
function hidingCall(call: UpstreamCall, hide: Hide): UpstreamCall {
  const { onProgress } = call;
  if (onProgress === undefined) return call;
  const value = (report: object): void => onProgress(hide(report));
  return Object.create(call, { onProgress: { value } }) as UpstreamCall;
}

function hidingConnection(inner: ServerConnection, hide: Hide): ServerConnection {
  const hidden = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return hide(await answer);
    } catch (error) {
      throw hideInError(error, hide);
    }
  };
  return Object.create(
    inner,
    Object.getOwnPropertyDescriptors({
      send: (method, params, call) => hidden(inner.send(method, params, hidingCall(call, hide))),
      callTool: (name, args, call) => hidden(inner.callTool(name, args, hidingCall(call, hide))),
      list: (method, signal) => hidden(inner.list(method, signal)),
      listTools: (signal) => hidden(inner.listTools(signal)),
      request: (method, params, signal) => hidden(inner.request(method, params, signal)),
    } satisfies Partial<ServerConnection>),
  ) as ServerConnection;
}

function hideInError(error: unknown, hide: Hide): unknown {
  if (!(error instanceof Error)) return hide(error);
  const { data } = error as { data?: unknown };
  return Object.assign(error, {
    message: hide(error.message),
    ...(data !== undefined && { data: hide(data) }),
  });
}
