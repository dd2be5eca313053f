import type { ContentPart } from "../contract/call.js";
import type { ErrorInfo } from "../contract/errors.js";
import { isRecord } from "../contract/is-record.js";
import { messageOf } from "../contract/message-of.js";
import { mapText, present } from "./present.js";
import type { ReceivedCall } from "./receive.js";

/** The parts for the model: the tool's own rendering or the result as JSON, all texts together within the budget. */
export function renderResult(call: ReceivedCall, result: unknown): readonly ContentPart[] {
  const parts = renderedBefore(call, result) ?? [{ type: "text", text: toText(result) }];
  const { state, toolName } = call;
  const name = state.resolved?.entry.name ?? toolName;
  return present(state, parts, state.untrusted ? name : undefined);
}

/** The error for the model, within the same budget: what the failed tool shows, else the code, message and hint. */
export function renderError(
  call: ReceivedCall,
  error: ErrorInfo,
  shown?: readonly ContentPart[],
): readonly ContentPart[] {
  const { state, toolName } = call;
  if (shown !== undefined) {
    const name = state.resolved?.entry.name ?? toolName;
    // Messages of errors may repeat what a tool was configured with.
    const parts = shown.map(toPart).map((part) => mapText(part, state.parts.redact));
    return present(state, parts, state.untrusted ? name : undefined);
  }
  const hint = error.hint === undefined ? "" : `\nHint: ${error.hint}`;
  const text = `${error.code}: ${error.message}${hint}`;
  return present(state, [{ type: "text", text }], undefined);
}

/** The tool's rendering of a result; for a cached result, the stored rendering is reused. */
function renderedBefore(call: ReceivedCall, result: unknown): readonly ContentPart[] | undefined {
  const { recalled, answeredAs } = call.state;
  if (recalled === undefined || recalled.result !== result || answeredAs !== undefined)
    return ownRendering(call, result);
  const { answer } = recalled;
  if (answer.rendered !== undefined) return answer.rendered;
  const parts = ownRendering(call, result);
  // Texts are put into new parts; others are passed on as they are, and might be changed.
  if (parts?.every(({ type, more }) => type === "text" && more === undefined) === true)
    answer.rendered = parts;
  return parts;
}

/** The result itself is valid: if rendering fails, it is shown as JSON, and an event reports the failure. */
function ownRendering({ state }: ReceivedCall, result: unknown): readonly ContentPart[] | undefined {
  const { tool, input } = state.answeredAs ?? {
    tool: state.resolved?.entry.tool,
    input: state.validated?.input,
  };
  if (tool?.render === undefined) return undefined;
  try {
    return toParts(tool.render(result, input));
  } catch (cause) {
    state.parts.events.emit("LISTENER_FAILED", { event: `render:${tool.name}`, message: messageOf(cause) });
    return undefined;
  }
}

function toParts(rendered: unknown): readonly ContentPart[] {
  if (typeof rendered === "string") return [{ type: "text", text: rendered }];
  if (rendered instanceof Promise) rendered.catch(() => undefined); // its rejection must not be unhandled
  if (!Array.isArray(rendered))
    throw new TypeError("render must return a text or an array of parts, and not a promise");
  return rendered.map(toPart);
}

/** A copy with the known fields, each of the right type. */
function toPart(part: unknown): ContentPart {
  const { type, text, data, mimeType, uri, name, more } = Object(part) as Record<string, unknown>;
  const rest = isRecord(more) ? { more } : {};
  const kind = typeof mimeType === "string" ? { mimeType } : {};
  if (type === "text" && typeof text === "string") return { type, text, ...rest };
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string") {
    return { type, data, mimeType, ...rest };
  }
  if (type === "resource" && typeof uri === "string") {
    const { blob } = part as Record<string, unknown>;
    return {
      type,
      uri,
      ...(typeof text === "string" ? { text } : typeof blob === "string" && { blob }),
      ...kind,
      ...rest,
    };
  }
  if (type === "resource_link" && typeof uri === "string" && typeof name === "string") {
    const { description } = part as Record<string, unknown>;
    return { type, uri, name, ...(typeof description === "string" && { description }), ...kind, ...rest };
  }
  throw new TypeError("render returned a part that is not text, image, audio, resource or resource_link");
}

function toText(result: unknown): string {
  if (typeof result === "string") return result;
  try {
    return JSON.stringify(result) ?? "";
  } catch (cause) {
    // It was plain data when the tool returned it: it was changed since, or it is too long for one string.
    return `[The result cannot be shown as text: ${messageOf(cause)}]`;
  }
}
