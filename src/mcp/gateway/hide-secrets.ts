import type { UpstreamCall } from "../../contract/ports/upstream.js";
import type { ServerConnection } from "../client/server-connection.js";
import type { ServerOptions } from "../client/server-options.js";
import type { OpenServer } from "./server-link.js";

type Hide = <T>(value: T) => T;

/** Open connections whose servers cannot give away what is hidden: in results, errors, lists, notices, questions or logs. */
export function hidingOpen(open: OpenServer, hide: Hide): OpenServer {
  return async (server, spec, options) => {
    const calls = new HidingCalls(hide);
    return hidingConnection(await open(server, spec, hidingEvents(options, hide, calls)), hide, calls);
  };
}

/** Calls whose progress is searched, and the calls that they stand for. */
class HidingCalls {
  readonly #originals = new WeakMap<UpstreamCall, UpstreamCall>();
  readonly #hide: Hide;

  constructor(hide: Hide) {
    this.#hide = hide;
  }

  of(call: UpstreamCall): UpstreamCall {
    const { onProgress } = call;
    if (onProgress === undefined) return call;
    const hiding = { ...call, onProgress: (report: object) => onProgress(this.#hide(report)) };
    this.#originals.set(hiding, call);
    return hiding;
  }

  originals(calls: readonly UpstreamCall[]): readonly UpstreamCall[] {
    return calls.map((call) => this.#originals.get(call) ?? call);
  }
}

function hidingEvents<O extends ServerOptions>(options: O, hide: Hide, calls: HidingCalls): O {
  const { onNotice, answer, onLog, onFault, onLost } = options;
  return {
    ...options,
    onNotice: onNotice && ((method, params, all) => onNotice(method, hide(params), calls.originals(all))),
    answer:
      answer &&
      ((request, all) => answer({ ...request, params: hide(request.params) }, calls.originals(all))),
    onLog: onLog && ((line) => onLog(hide(line))),
    onFault: onFault && ((message) => onFault(hide(message))),
    onLost: onLost && ((reason) => onLost(hide(reason))),
  };
}

function hidingConnection(inner: ServerConnection, hide: Hide, calls: HidingCalls): ServerConnection {
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
      send: (method, params, call) => hidden(inner.send(method, params, calls.of(call))),
      callTool: (name, args, call) => hidden(inner.callTool(name, args, calls.of(call))),
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
