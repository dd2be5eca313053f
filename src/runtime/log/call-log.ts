import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { TenonEvent } from "../../contract/events.js";
import type { LogLevel } from "../../contract/ports/log.js";
import type { EventBus } from "../../record/event-bus.js";
import { createLog, type LogSink } from "./create-log.js";
import { pinoLog } from "./pino-log.js";

/** The sink of the options, else that of the configuration. */
export function logSinkOf(given: LogSink | undefined, config: ResolvedConfig): LogSink | undefined {
  if (given !== undefined || config.logging === undefined) return given;
  return pinoLog(config.logging);
}

/**
 * Log calls, each tool from its own minimum level. Without `logging` in the configuration, a sink is there for what
 * tools write: it gets calls at `debug` only.
 */
export function logCalls(parts: {
  readonly config: ResolvedConfig;
  readonly sink: LogSink | undefined;
  readonly events: EventBus;
  readonly redact: <T>(value: T) => T;
}): void {
  const { config, sink, events, redact } = parts;
  if (sink === undefined) return;
  const isWanted = config.logging !== undefined;
  if (!isWanted && !logsDebug(config)) return;
  events.onAny((event) => {
    const line = toLogLine(event);
    if (line === undefined) return;
    const { toolName } = line.fields;
    const own = toolName === undefined ? undefined : config.tools.perTool[toolName]?.monitoring?.logLevel;
    const log = createLog({ level: own ?? config.logLevel, sink, now: () => event.time, redact });
    log[isWanted ? line.level : "debug"](line.message, line.fields);
  });
}

function logsDebug({ logLevel, tools }: ResolvedConfig): boolean {
  const levels = Object.values(tools.perTool).map(({ monitoring }) => monitoring?.logLevel);
  return logLevel === "debug" || levels.includes("debug");
}

interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: { readonly toolName?: string | undefined; readonly [key: string]: unknown };
}

function toLogLine({ type, payload }: TenonEvent): LogLine | undefined {
  const line = (level: LogLevel, message: string, fields: LogLine["fields"]) => ({ level, message, fields });
  switch (type) {
    case "TOOL_CALL_REQUESTED":
      return line("debug", "call requested", ids(payload));
    case "TOOL_CALL_STARTED":
      return line("debug", "call started", { ...ids(payload), waitedMs: payload.waitedMs });
    case "TOOL_CALL_RETRIED": {
      const { attempt, delayMs, error } = payload;
      return line("warn", "call retried", { ...ids(payload), attempt, delayMs, code: error.code });
    }
    case "TOOL_CALL_COMPLETED":
      return line("info", "call completed", { ...ids(payload), durationMs: payload.durationMs });
    case "TOOL_CALL_FAILED": {
      const { error, durationMs } = payload;
      const level = error.type === "ToolInternalError" ? "error" : "warn";
      const { code, message } = error;
      return line(level, "call failed", { ...ids(payload), durationMs, code, error: message });
    }
    case "TOOL_STATE_CHANGED":
      return line("debug", "tool state changed", { ...payload });
    case "LISTENER_FAILED":
      return line("error", "listener failed", { event: payload.event, error: payload.message });
    default:
      return undefined;
  }
}

function ids(call: {
  readonly toolName: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly taskId?: string;
  readonly parentCallId?: string;
}): LogLine["fields"] {
  const { toolName, callId, sessionId, agent, taskId, parentCallId } = call;
  return {
    toolName,
    callId,
    sessionId,
    agent,
    ...(taskId !== undefined && { taskId }),
    ...(parentCallId !== undefined && { parentCallId }),
  };
}
