import type { ContentPart } from "../contract/call.js";
import type { ErrorInfo } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { Call } from "./call.js";
import { present } from "./present.js";

/** The parts for the model: the tool's own rendering or the result as JSON, all texts together within the budget. */
export function renderResult(call: Call, result: unknown): readonly ContentPart[] {
  const parts = ownRendering(call, result) ?? [{ type: "text", text: toText(result) }];
  return present(call, parts, { untrusted: call.untrusted });
}

/** The error for the model, within the same budget. */
export function renderError(call: Call, error: ErrorInfo): readonly ContentPart[] {
  const hint = error.hint === undefined ? "" : `\nHint: ${error.hint}`;
  return present(call, [{ type: "text", text: `${error.code}: ${error.message}${hint}` }], {
    untrusted: false,
  });
}

/** The result itself is good: a broken rendering costs its own text only, and an event says so. */
function ownRendering(call: Call, result: unknown): readonly ContentPart[] | undefined {
  const tool = call.entry?.tool;
  if (tool?.render === undefined) return undefined;
  try {
    return toParts(tool.render(result, call.input));
  } catch (cause) {
    call.parts.events.emit("LISTENER_FAILED", { event: `render:${tool.name}`, message: messageOf(cause) });
    return undefined;
  }
}

function toParts(rendered: unknown): readonly ContentPart[] {
  if (typeof rendered === "string") return [{ type: "text", text: rendered }];
  if (rendered instanceof Promise) rendered.catch(() => undefined); // nobody waits for it
  if (!Array.isArray(rendered)) throw new TypeError("render must return a text or a list of parts, at once");
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
  throw new TypeError("render returned a part that is none of text, image, audio and resource");
}

function toText(result: unknown): string {
  if (typeof result === "string") return result;
  try {
    return JSON.stringify(result) ?? "";
  } catch (cause) {
    // It was plain when the tool returned it: somebody changed it since, or it is too long for one string.
    return `[The result cannot be shown as text: ${messageOf(cause)}]`;
  }
}
