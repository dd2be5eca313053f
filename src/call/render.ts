import type { ContentPart } from "../contract/call.js";
import type { ErrorInfo } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import { present } from "./present.js";
import type { ReceivedCall } from "./receive.js";

/** The parts for the model: the tool's own rendering or the result as JSON, all texts together within the budget. */
export function renderResult(call: ReceivedCall, result: unknown): readonly ContentPart[] {
  const parts = ownRendering(call, result) ?? [{ type: "text", text: toText(result) }];
  const { state, toolName } = call;
  const name = state.resolved?.entry.name ?? toolName;
  return present(state, parts, state.untrusted ? name : undefined);
}

/** The error for the model, within the same budget. */
export function renderError(call: ReceivedCall, error: ErrorInfo): readonly ContentPart[] {
  const hint = error.hint === undefined ? "" : `\nHint: ${error.hint}`;
  const text = `${error.code}: ${error.message}${hint}`;
  return present(call.state, [{ type: "text", text }], undefined);
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
  const { type, text, data, mimeType, uri } = Object(part) as Record<string, unknown>;
  if (type === "text" && typeof text === "string") return { type, text };
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string") {
    return { type, data, mimeType };
  }
  if (type === "resource" && typeof uri === "string") {
    return {
      type,
      uri,
      ...(typeof text === "string" && { text }),
      ...(typeof mimeType === "string" && { mimeType }),
    };
  }
  throw new TypeError("render returned a part that is not text, image, audio or resource");
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
