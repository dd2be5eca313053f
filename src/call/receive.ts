import { ToolCancelledError, ToolUnavailableError, ToolValidationError } from "../contract/errors.js";
import { announce } from "./announce.js";
import type { Call } from "./call.js";

const maxTimerMs = 2 ** 31 - 1;
const maxDepth = 32;
const maxIdChars = 256;

/** Read the request once into the call; whatever the caller passed, later stages see plain fields. */
export function receive(call: Call, request: unknown): void {
  call.callId = call.parts.newId();
  call.taskId = call.origin.parent?.taskId ?? call.session.taskId;
  let fields: RequestFields | undefined;
  let fault: unknown;
  try {
    fields = readFields(request);
    takeFields(call, fields);
  } catch (thrown) {
    fault = thrown;
  }
  // Also for what is refused: who listens sees every request once.
  announce(call, "TOOL_CALL_REQUESTED", () => ({ arguments: shownArguments(call) }));
  if (fault !== undefined) throw fault;
  refuseWhereEnded(call);
  stopWith(call, fields?.signal);
}

interface RequestFields {
  id?: unknown;
  name?: unknown;
  arguments?: unknown;
  taskId?: unknown;
  priority?: unknown;
  timeoutMs?: unknown;
  signal?: unknown;
  idempotencyKey?: unknown;
}

/** A hostile object may have getters that throw, or answer differently the second time. */
function readFields(request: unknown): RequestFields {
  if (typeof request !== "object" || request === null) {
    throw invalid(`the request must be an object { name, arguments }, got ${describe(request)}`);
  }
  try {
    const {
      id,
      name,
      arguments: args,
      taskId,
      priority,
      timeoutMs,
      signal,
      idempotencyKey,
    } = request as RequestFields;
    return { id, name, arguments: args, taskId, priority, timeoutMs, signal, idempotencyKey };
  } catch (cause) {
    throw invalid("the request could not be read", cause);
  }
}

function takeFields(call: Call, fields: RequestFields): void {
  call.rawArguments = fields.arguments;
  if (typeof fields.name === "string") call.toolName = fields.name.slice(0, maxIdChars).toWellFormed();
  const id = toId(fields.id, "id");
  if (id !== undefined && id !== "") nameCall(call, id);
  const taskId = toId(fields.taskId, "taskId");
  // What a tool calls belongs to the task that the tool was called for.
  call.taskId = call.origin.parent?.taskId ?? taskId ?? call.taskId;
  call.idempotencyKey = toKey(fields.idempotencyKey);
  call.requestedPriority = toPriority(fields.priority);
  call.requestedTimeoutMs = toTimeout(fields.timeoutMs);
  if (call.toolName === "") throw invalid(`"name" must be the name of a tool, got ${describe(fields.name)}`);
}

/** Callers repeat their ids, and providers begin again at `call_0`: only an id of Tenon's own names one call. */
function nameCall(call: Call, id: string): void {
  if (call.depth === 0 && call.parts.takeId(id)) call.callId = id;
  else call.requestId = id;
}

function shownArguments(call: Call): unknown {
  const { plain } = call;
  return plain.ok ? call.parts.redact(plain.value) : `[${plain.issues[0]?.message}]`;
}

function refuseWhereEnded(call: Call): void {
  if (call.origin.fault !== undefined) throw call.origin.fault;
  if (call.depth === 0 && call.parts.isClosed()) {
    throw new ToolUnavailableError("Tenon is closed.", {
      code: "RUNTIME_CLOSED",
      retryable: false,
      hint: "Create a new Tenon.",
    });
  }
  if (call.depth <= maxDepth) return;
  throw new ToolUnavailableError(`Calls are nested more than ${maxDepth} deep.`, {
    code: "QUEUE_FULL",
    retryable: false,
    hint: "A tool calls itself without end; break the circle.",
  });
}

/** Stop the call with whoever wants its answer: the call above, the stream, the caller. */
function stopWith(call: Call, signal: unknown): void {
  const { parent, fallbackFor, leaving } = call.origin;
  if (parent !== undefined) call.follow(parent);
  if (fallbackFor !== undefined) fallbackFor.heir = call;
  if (leaving !== undefined) listenTo(call, leaving);
  if (signal !== undefined) listenTo(call, toSignal(signal));
  if (call.aborted !== undefined) throw call.aborted;
}

function listenTo(call: Call, signal: AbortSignal): void {
  if (signal.aborted) throw new ToolCancelledError("The call was cancelled before it began.");
  call.listenTo(signal);
}

function toSignal(signal: unknown): AbortSignal {
  try {
    // Reading the field tells a real signal from an object that only borrowed the prototype.
    if (signal instanceof AbortSignal && typeof signal.aborted === "boolean") return signal;
  } catch {
    // Not a signal, then.
  }
  throw invalid(`"signal" must be an AbortSignal, got ${describe(signal)}`);
}

function toId(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw invalid(`"${name}" must be a string, got ${describe(value)}`);
  if (value.length > maxIdChars) throw invalid(`"${name}" has more than ${maxIdChars} characters`);
  return value.toWellFormed();
}

/** A key is a name for one call: an empty one, or one that a database would change, names nothing. */
function toKey(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const isKey = typeof value === "string" && value !== "" && value.length <= maxIdChars;
  if (isKey && !/[\0\p{Surrogate}]/u.test(value)) return value;
  throw invalid(`"idempotencyKey" must be a string of 1 to ${maxIdChars} characters`);
}

function toPriority(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw invalid(`"priority" must be a finite number, got ${describe(value)}`);
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
  if (value === "") return "an empty string";
  try {
    return Array.isArray(value) ? "an array" : typeof value;
  } catch {
    return typeof value; // a proxy that was revoked cannot even be asked that
  }
}

function invalid(message: string, cause?: unknown): ToolValidationError {
  return new ToolValidationError(`Bad request: ${message}.`, {
    code: "REQUEST_INVALID",
    hint: "Send { name, arguments } with the types that the message names.",
    cause,
  });
}
