import { ToolCancelledError, ToolUnavailableError, ToolValidationError } from "../contract/errors.js";
import type { ToolRequest } from "../contract/call.js";
import { suggestKey, type KeysOf } from "../schema/check-keys.js";
import type { Checked } from "../schema/compile-schema.js";
import { takePlain } from "../schema/take-plain.js";
import { announce } from "./record.js";
import type { CallOrigin } from "./call-origin.js";
import { CallState } from "./call-state.js";
import type { SpineParts } from "./parts.js";

const maxTimerMs = 2 ** 31 - 1;
const maxDepth = 32;
const maxIdChars = 256;

/**
 * A request that was read once; whatever the caller passed, later stages see plain fields.
 *
 * Fields of the records are declared, not defined: the constructor sets each of them, and defining them before that
 * would cost every call as much again.
 */
class ReceivedCall {
  declare protected readonly stage: "received";
  declare readonly state: CallState;
  /** The call that this one appears below in events and records. */
  declare readonly shownUnder: ReceivedCall | undefined;
  /** The call that no other call made. */
  declare readonly root: ReceivedCall;
  declare readonly callId: string;
  /** The id that the caller gave it. */
  declare readonly requestId: string | undefined;
  declare readonly idempotencyKey: string | undefined;
  declare readonly toolName: string;
  declare readonly taskId: string | undefined;
  declare readonly priority: number | undefined;
  declare readonly timeoutMs: number | undefined;
  /** The signal as it was sent, of any type. */
  declare readonly signal: unknown;
  /** The arguments as plain data, copied once however hostile they are, or what is wrong with them. */
  declare readonly arguments: Checked;
  /** Why the request cannot be used. */
  declare readonly fault: unknown;

  constructor(state: CallState, request: unknown) {
    const { origin, parts } = state;
    this.state = state;
    this.shownUnder = origin.fallbackFor ?? origin.parent;
    this.root = this.shownUnder?.root ?? this;
    this.callId = parts.newId();
    // What a tool calls belongs to the task that the tool was called for.
    const inheritedTask = origin.parent?.taskId;
    this.taskId = inheritedTask ?? state.session.taskId;
    this.toolName = "";
    this.requestId =
      this.idempotencyKey =
      this.priority =
      this.timeoutMs =
      this.signal =
      this.fault =
        undefined;
    let sent: unknown;
    // The valid part of the request: a refused call is recorded with what is known about it.
    try {
      const fields = readFields(request);
      const { name, id, taskId, idempotencyKey, priority, timeoutMs } = fields;
      sent = fields.arguments;
      this.signal = fields.signal;
      if (typeof name === "string") this.toolName = name.slice(0, maxIdChars).toWellFormed();
      if (id !== undefined) this.requestId = toId(id, "id") || undefined;
      if (taskId !== undefined) {
        const ownTask = toId(taskId, "taskId");
        this.taskId = inheritedTask ?? ownTask;
      }
      if (idempotencyKey !== undefined) this.idempotencyKey = toKey(idempotencyKey);
      if (priority !== undefined) this.priority = toPriority(priority);
      if (timeoutMs !== undefined) this.timeoutMs = toTimeout(timeoutMs);
      if (this.toolName === "") throw invalid(`"name" must be the name of a tool, got ${describe(name)}`);
    } catch (thrown) {
      this.fault = thrown;
    }
    // Callers reuse their ids, and providers start again at `call_0`: only an id that Tenon gave out names one call.
    if (this.requestId !== undefined && state.depth === 0 && state.parts.takeId(this.requestId)) {
      this.callId = this.requestId;
      this.requestId = undefined;
    }
    this.arguments = takePlain(sent ?? {}, parts.plainLimits);
  }
}

export type { ReceivedCall };

/** Read a request; never throws. */
export function receive(request: unknown, origin: CallOrigin, parts: SpineParts): ReceivedCall {
  return new ReceivedCall(new CallState(origin, parts), request);
}

/** Announce the call, and refuse it if it cannot run at all. */
export function accept(call: ReceivedCall): void {
  // Announced for refused calls too, so that listeners see every request once.
  announce(call, "TOOL_CALL_REQUESTED", () => ({ arguments: shownArguments(call) }));
  if (call.fault !== undefined) throw call.fault;
  refuseIfClosed(call);
  stopWith(call);
}

/** The fields of a request. An object without a prototype: `constructor` is not among them. */
const requestKeys: Readonly<Record<string, true>> = Object.assign(
  Object.create(null) as Record<string, true>,
  {
    id: true,
    name: true,
    arguments: true,
    taskId: true,
    priority: true,
    timeoutMs: true,
    signal: true,
    idempotencyKey: true,
  } satisfies KeysOf<ToolRequest>,
);

/** What other libraries and protocols call the fields of a request. */
const otherNames = {
  args: "arguments",
  input: "arguments",
  parameters: "arguments",
  params: "arguments",
  tool: "name",
  toolName: "name",
  callId: "id",
  toolCallId: "id",
  timeout: "timeoutMs",
  abortSignal: "signal",
};

function unknownField(key: string): ToolValidationError {
  const shown = key.slice(0, maxIdChars).toWellFormed();
  return new ToolValidationError(`Invalid request: unknown field ${JSON.stringify(shown)}.`, {
    code: "REQUEST_INVALID",
    hint: suggestKey(shown, Object.keys(requestKeys), otherNames),
  });
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
    for (const key in request) if (requestKeys[key] !== true) throw unknownField(key);
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
    if (cause instanceof ToolValidationError) throw cause;
    throw invalid("the request could not be read", cause);
  }
}

function shownArguments({ arguments: plain, state }: ReceivedCall): unknown {
  return plain.ok ? state.parts.redact(plain.value) : `[${plain.issues[0]?.message}]`;
}

function refuseIfClosed({ state: { origin, parts, depth } }: ReceivedCall): void {
  if (origin.fault !== undefined) throw origin.fault;
  if (depth === 0 && parts.lifetime.closed) {
    throw new ToolUnavailableError("Tenon is closed.", {
      code: "RUNTIME_CLOSED",
      retryable: false,
      hint: "Create a new Tenon instance.",
    });
  }
  if (depth <= maxDepth) return;
  throw new ToolUnavailableError(`Calls are nested more than ${maxDepth} deep.`, {
    code: "QUEUE_FULL",
    retryable: false,
    hint: "A tool calls itself, directly or through others; end the recursion.",
  });
}

/** Stop the call with the call above it, the stream, or the caller's signal. */
function stopWith({ state, signal }: ReceivedCall): void {
  const { parent, fallbackFor, leaving } = state.origin;
  if (parent !== undefined) state.follow(parent.state);
  if (fallbackFor !== undefined) fallbackFor.state.fallbackCall = state;
  if (leaving !== undefined) listenTo(state, leaving);
  if (signal !== undefined) listenTo(state, toSignal(signal));
  if (state.aborted !== undefined) throw state.aborted;
}

function listenTo(state: CallState, signal: AbortSignal): void {
  if (signal.aborted) throw new ToolCancelledError("The call was cancelled before it began.");
  state.listenTo(signal);
}

function toSignal(signal: unknown): AbortSignal {
  try {
    // Reading the field throws for an object that only has the prototype of a signal.
    if (signal instanceof AbortSignal && typeof signal.aborted === "boolean") return signal;
  } catch {
    // Not a signal.
  }
  throw invalid(`"signal" must be an AbortSignal, got ${describe(signal)}`);
}

function toId(value: unknown, name: string): string {
  if (typeof value !== "string") throw invalid(`"${name}" must be a string, got ${describe(value)}`);
  if (value.length > maxIdChars) throw invalid(`"${name}" has more than ${maxIdChars} characters`);
  return value.toWellFormed();
}

/** Neither empty nor with characters that a database would change. */
function toKey(value: unknown): string {
  const isKey = typeof value === "string" && value !== "" && value.length <= maxIdChars;
  if (isKey && !/[\0\p{Surrogate}]/u.test(value)) return value;
  throw invalid(`"idempotencyKey" must be a string of 1 to ${maxIdChars} characters`);
}

function toPriority(value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw invalid(`"priority" must be a finite number, got ${describe(value)}`);
}

function toTimeout(value: unknown): number {
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
    return typeof value; // a revoked proxy throws
  }
}

function invalid(message: string, cause?: unknown): ToolValidationError {
  return new ToolValidationError(`Invalid request: ${message}.`, {
    code: "REQUEST_INVALID",
    hint: "Send { name, arguments }, each field with the type that the message names.",
    cause,
  });
}
