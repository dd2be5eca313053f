import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import type { HttpRequest } from "../../contract/ports/http.js";
import { readText } from "./read-text.js";
import { requireUrl } from "./request-url.js";

/** What every plain request answers with. */
export const httpResult = z.object({
  status: z.number().int(),
  headers: z.record(z.string(), z.string()),
  body: z.string().describe("Text, or Base64 where encoding says so."),
  encoding: z.literal("base64").optional().describe("The body is no text."),
  truncated: z.boolean().describe("The body was cut at the size limit."),
  finalUrl: z.string().describe("Where redirects led to."),
});

export type HttpResult = z.infer<typeof httpResult>;

/** The arguments that all requests share. */
export const httpInput = {
  url: z.string().min(1).max(32_768).describe("The whole address, with http:// or https://."),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Request headers by name. Host, Content-Length and the like are set by the connection."),
  body: z.string().optional().describe("The body as text; JSON as its text."),
};

/** Send a request through the guarded way out, and read its answer. */
export async function send(request: HttpRequest, ctx: ToolContext): Promise<HttpResult> {
  requireUrl(request.url);
  const { body: bytes, ...response } = await ctx.http.request({ ...withType(request), signal: ctx.signal });
  const contentType = response.headers["content-type"] ?? "";
  const { text, binary } = readText({ body: bytes, contentType, truncated: response.truncated });
  const { status, headers, truncated, finalUrl } = response;
  return { status, headers, body: text, ...(binary && { encoding: "base64" }), truncated, finalUrl };
}

/** The answer as a model reads it; Base64 beyond a few lines tells it nothing. */
export function renderHttp({ status, headers, body, encoding, truncated, finalUrl }: HttpResult): string {
  const head = [`HTTP ${status} ${finalUrl}`];
  for (const name of shown) if (headers[name] !== undefined) head.push(`${name}: ${headers[name]}`);
  const cut = truncated ? "\n[The body was cut here: it is larger than the limit.]" : "";
  return `${head.join("\n")}\n\n${encoding === undefined ? body : describeBinary(body)}${cut}`;
}

const shown = [
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
  return `[binary, ${Math.floor((base64.length * 3) / 4)} bytes, in Base64 from ${base64.slice(0, 60)}…]`;
}

/** A body without a type is JSON if it reads as an object or a list, else plain text. */
function withType(request: HttpRequest): HttpRequest {
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
