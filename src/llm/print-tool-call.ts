import { checkKeys } from "../schema/check-keys.js";
import { encodeAttribute, encodeText } from "./parse/xml-text.js";

/** How calls are written in text. */
export const promptFormats = ["xml", "json"] as const;

/** The formats of calls in a prompt. */
export type PromptFormat = (typeof promptFormats)[number];

/** A call as a model would write it. */
export interface PrintableCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly id?: string | undefined;
}

/**
 * Write a call so that `parseToolCalls` reads the same call back.
 *
 * @example
 * printToolCall({ name: "read_file", arguments: { path: "a.txt" } }, "xml");
 */
export function printToolCall(call: PrintableCall, format: PromptFormat): string {
  checkKeys(call, { name: true, arguments: true, id: true }, "printToolCall");
  return format === "xml" ? printXml(call) : printJson(call);
}

function printXml({ name, arguments: args, id }: PrintableCall): string {
  const idText = id === undefined ? "" : ` id="${encodeAttribute(id)}"`;
  const parameters = Object.entries(args).map(([key, value]) => `${printParameter(key, value)}\n`);
  return `<tool_call name="${encodeAttribute(name)}"${idText}>\n${parameters.join("")}</tool_call>`;
}

/** Plain texts stand as they are; all else says that it is JSON. */
function printParameter(key: string, value: unknown): string {
  const open = `<parameter name="${encodeAttribute(key)}"`;
  if (typeof value === "string" && isPlain(value)) return `${open}>${encodeText(value)}</parameter>`;
  return `${open} type="json">${encodeText(JSON.stringify(value) ?? "null")}</parameter>`;
}

/** No control characters that XML cannot hold, no halves of characters. */
function isPlain(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  return text.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text);
}

function printJson({ name, arguments: args, id }: PrintableCall): string {
  const call = { ...(id !== undefined && { id }), name, arguments: args };
  // So that no tag within the arguments can close this one for another reader.
  const json = JSON.stringify(call).replaceAll("</", String.raw`<\/`);
  return `<tool_call>\n${json}\n</tool_call>`;
}
