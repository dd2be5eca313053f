import { ToolCancelledError, ToolUnavailableError, ToolValidationError } from "../contract/errors.js";
import { announce } from "./announce.js";
import type { Call } from "./call.js";

const maxTimerMs = 2 ** 31 - 1;
const maxDepth = 32;

/** Read the request once into the call; whatever the caller passed, later stages see plain fields. */
export function receive(call: Call, request: unknown): void {
  call.callId = call.parts.newId();
  if (typeof request !== "object" || request === null) {
    throw invalid(`the request must be an object { name, arguments }, got ${describe(request)}`);
  }
  const fields = readFields(request);
  if (typeof fields.name === "string") call.toolName = fields.name.slice(0, 256);
  if (typeof fields.id === "string" && fields.id !== "") call.callId = fields.id.slice(0, 256);
  call.taskId = optional(fields.taskId, "string", "taskId") ?? call.session.taskId;
  call.requestedPriority = optional(fields.priority, "number", "priority");
  call.requestedTimeoutMs = toTimeout(fields.timeoutMs);
  call.rawArguments = fields.arguments;
  announce(call, "TOOL_CALL_REQUESTED", () => ({ params: call.parts.redact(call.rawArguments) }));
  if (typeof fields.name !== "string" || fields.name === "") {
    throw invalid(`"name" must be the name of a tool, got ${describe(fields.name)}`);
  }
  if (fields.id !== undefined && typeof fields.id !== "string") {
    throw invalid(`"id" must be a string, got ${describe(fields.id)}`);
  }
  refuseWhereEnded(call, fields.signal);
}

interface RequestFields {
  id?: unknown;
  name?: unknown;
  arguments?: unknown;
  taskId?: unknown;
  priority?: unknown;
  timeoutMs?: unknown;
  signal?: unknown;
}

/** A hostile object may have getters that throw, or answer differently the second time. */
function readFields(request: RequestFields): RequestFields {
  try {
    const { id, name, arguments: args, taskId, priority, timeoutMs, signal } = request;
    return { id, name, arguments: args, taskId, priority, timeoutMs, signal };
  } catch (cause) {
    throw invalid("the request could not be read", cause);
  }
}

function refuseWhereEnded(call: Call, signal: unknown): void {
  const { parent, fault } = call.origin;
  if (fault !== undefined) throw fault;
  if (parent === undefined && call.parts.isClosed()) {
    throw new ToolUnavailableError("Tenon is closed.", { code: "RUNTIME_CLOSED", retryable: false });
  }
  if (call.depth > maxDepth) {
    throw new ToolUnavailableError(`Calls are nested more than ${maxDepth} deep.`, {
      code: "QUEUE_FULL",
      retryable: false,
      hint: "A tool calls itself without end; break the circle.",
    });
  }
  if (parent !== undefined) call.follow(parent);
  if (signal === undefined) return;
  if (!(signal instanceof AbortSignal)) throw invalid(`"signal" must be an AbortSignal, got ${describe(signal)}`);
  if (signal.aborted) throw new ToolCancelledError("The call was cancelled before it began.");
  call.listenTo(signal);
}

function optional(value: unknown, type: "string", name: string): string | undefined;
function optional(value: unknown, type: "number", name: string): number | undefined;
function optional(value: unknown, type: "string" | "number", name: string): unknown {
  if (value === undefined) return undefined;
  if (typeof value !== type || Number.isNaN(value)) {
    throw invalid(`"${name}" must be a ${type}, got ${describe(value)}`);
  }
  return value;
}

function toTimeout(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
    throw invalid(`"timeoutMs" must be a finite number above 0, got ${describe(value)}`);
  }
  return Math.min(value, maxTimerMs);
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number") return String(value);
  return Array.isArray(value) ? "an array" : typeof value;
}

function invalid(message: string, cause?: unknown): ToolValidationError {
  return new ToolValidationError(`Bad request: ${message}.`, { code: "REQUEST_INVALID", cause });
}
