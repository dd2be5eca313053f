import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import type { HttpRequest } from "../../contract/ports/http.js";
import { readText } from "./read-text.js";
import { requireUrl } from "./request-url.js";

/** The result of the plain request tools. */
export const httpResult = z.object({
  status: z.number().int(),
  headers: z.record(z.string(), z.string()),
  body: z.string().describe("The body as text, or as Base64 if encoding is set."),
  encoding: z.literal("base64").optional().describe("Set if the body is not text."),
  truncated: z.boolean().describe("Whether the body was truncated at the size limit."),
  finalUrl: z.string().describe("The URL after redirects."),
});

export type HttpResult = z.infer<typeof httpResult>;

/** The input fields that all requests share. */
export const httpInput = {
  url: z.string().min(1).max(32_768).describe("The full URL, with http:// or https://."),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Request headers by name. Host, Content-Length and similar ones are set automatically."),
  body: z.string().optional().describe("The request body as text, such as JSON text."),
};

/** Send a request through the guarded HTTP client and read the response. */
export async function sendRequest(request: HttpRequest, ctx: ToolContext): Promise<HttpResult> {
  requireUrl(request.url);
  const { body: bytes, ...response } = await ctx.http.request({
    ...withContentType(request),
    signal: ctx.signal,
  });
  const contentType = response.headers["content-type"] ?? "";
  const { text, binary } = readText({ body: bytes, contentType, truncated: response.truncated });
  const { status, headers, truncated, finalUrl } = response;
  return { status, headers, body: text, ...(binary && { encoding: "base64" }), truncated, finalUrl };
}

/** The response as text for the model; long Base64 is shortened. */
export function renderHttp({ status, headers, body, encoding, truncated, finalUrl }: HttpResult): string {
  const head = [`HTTP ${status} ${finalUrl}`];
  for (const name of shownHeaders) if (headers[name] !== undefined) head.push(`${name}: ${headers[name]}`);
  const cut = truncated ? "\n[The body was truncated here: it exceeds the size limit.]" : "";
  return `${head.join("\n")}\n\n${encoding === undefined ? body : describeBinary(body)}${cut}`;
}

const shownHeaders = [
  "content-type",
  "content-length",
  "last-modified",
  "location",
  "retry-after",
  "www-authenticate",
  "link",
  "allow",
];

function describeBinary(base64: string): string {
  if (base64.length <= 2000) return `[binary, in Base64] ${base64}`;
  return `[binary, ${Math.floor((base64.length * 3) / 4)} bytes; Base64 starts with ${base64.slice(0, 60)}…]`;
}

/** A body without a content type is sent as JSON if it parses as an object or array, else as plain text. */
function withContentType(request: HttpRequest): HttpRequest {
  const { body, headers = {} } = request;
  if (
    typeof body !== "string" ||
    Object.keys(headers).some((name) => name.toLowerCase() === "content-type")
  ) {
    return request;
  }
  const type = isJson(body) ? "application/json" : "text/plain;charset=utf-8";
  return { ...request, headers: { ...headers, "content-type": type } };
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
