import type * as otel from "@opentelemetry/api";
import type { TenonEvent, TenonEvents } from "../contract/events.js";

export interface SpanOptions {
  /** The API itself, so that nothing is loaded unless tracing is on. */
  readonly api: Pick<typeof otel, "context" | "trace" | "SpanStatusCode" | "SpanKind">;
  readonly tracer: otel.Tracer;
  /** The name of the tool behind what a caller wrote; `undefined` where its calls are not to be traced. */
  readonly tracedName: (written: string) => string | undefined;
  /** Write arguments and results into spans; they may contain private data. @default false */
  readonly recordContent?: boolean | undefined;
}

export interface SpanWriter {
  readonly listen: (event: TenonEvent) => void;
  /** End what is still open. */
  readonly close: () => void;
}

type CallIds = Pick<TenonEvents["TOOL_CALL_REQUESTED"], "callId" | "sessionId" | "parentCallId">;

const maxContentChars = 32_768;

/** One span per call, also for refusals, by the GenAI conventions for `execute_tool`; nested calls are children. */
export function createSpanWriter(options: SpanOptions): SpanWriter {
  const { api, tracer } = options;
  /** Callers choose ids, so that one may be there twice. */
  const open = new Map<string, otel.Span[]>();
  const spanOf = ({ sessionId, callId }: CallIds): otel.Span | undefined =>
    open.get(key(sessionId, callId))?.at(-1);
  const start = (call: TenonEvents["TOOL_CALL_REQUESTED"], time: number): void => {
    const name = options.tracedName(call.toolName);
    if (name === undefined) return;
    const parent =
      call.parentCallId === undefined ? undefined : spanOf({ ...call, callId: call.parentCallId });
    const active = api.context.active();
    const context = parent === undefined ? active : api.trace.setSpan(active, parent);
    const span = tracer.startSpan(
      `execute_tool ${name}`,
      {
        kind: api.SpanKind.INTERNAL,
        startTime: time,
        attributes: attributesOf(call, name, options.recordContent),
      },
      context,
    );
    const own = key(call.sessionId, call.callId);
    const spans = open.get(own);
    if (spans === undefined) open.set(own, [span]);
    else spans.push(span);
  };
  const end = (call: CallIds, finish: (span: otel.Span) => void, time: number): void => {
    const own = key(call.sessionId, call.callId);
    const spans = open.get(own);
    const span = spans?.pop();
    if (spans?.length === 0) open.delete(own);
    if (span === undefined) return;
    finish(span);
    span.end(time);
  };
  return {
    listen: (event) => heed(event, { start, end, spanOf, options }),
    close: () => {
      for (const spans of open.values()) for (const span of spans) span.end();
      open.clear();
    },
  };
}

interface Steps {
  readonly start: (call: TenonEvents["TOOL_CALL_REQUESTED"], time: number) => void;
  readonly end: (call: CallIds, finish: (span: otel.Span) => void, time: number) => void;
  readonly spanOf: (call: CallIds) => otel.Span | undefined;
  readonly options: SpanOptions;
}

function heed(event: TenonEvent, { start, end, spanOf, options }: Steps): void {
  const { time } = event;
  if (event.type === "TOOL_CALL_REQUESTED") start(event.payload, time);
  else if (event.type === "TOOL_CALL_STARTED") {
    const { waitedMs, decision } = event.payload;
    const decided = decision && { "tenon.decision": decision.behavior, "tenon.rule": decision.rule };
    spanOf(event.payload)?.addEvent("started", { "tenon.waited_ms": waitedMs, ...decided }, time);
  } else if (event.type === "TOOL_CALL_RETRIED") {
    const { attempt, delayMs, error } = event.payload;
    const facts = { "tenon.attempt": attempt, "tenon.delay_ms": delayMs, "error.type": error.code };
    spanOf(event.payload)?.addEvent("retry", facts, time);
  } else if (event.type === "TOOL_CALL_COMPLETED") {
    const { result } = event.payload;
    const finish = (span: otel.Span): void => {
      if (options.recordContent === true) span.setAttribute("gen_ai.tool.call.result", asText(result));
    };
    end(event.payload, finish, time);
  } else if (event.type === "TOOL_CALL_FAILED") {
    const { error } = event.payload;
    const finish = (span: otel.Span): void => {
      span.setAttributes({ "error.type": error.code, "tenon.error.class": error.type });
      span.setStatus({ code: options.api.SpanStatusCode.ERROR, message: error.message });
    };
    end(event.payload, finish, time);
  }
}

function attributesOf(
  call: TenonEvents["TOOL_CALL_REQUESTED"],
  name: string,
  recordContent: boolean | undefined,
): otel.Attributes {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.id": call.requestId ?? call.callId,
    "gen_ai.tool.type": "function",
    "gen_ai.agent.name": call.agent,
    "gen_ai.conversation.id": call.sessionId,
    ...(call.taskId !== undefined && { "tenon.task.id": call.taskId }),
    ...(recordContent === true && { "gen_ai.tool.call.arguments": asText(call.arguments) }),
  };
}

function asText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= maxContentChars ? text : `${text.slice(0, maxContentChars - 1)}…`;
}

function key(sessionId: string, callId: string): string {
  return `${sessionId}\n${callId}`;
}
