import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolExecutionError } from "../../contract/errors.js";
import type { HttpResponse } from "../../contract/ports/http.js";
import { cutText, toMarkdown, type Page } from "./page-markdown.js";
import { mediaType, readText } from "./read-text.js";
import { hostResources, requireUrl, shownUrl } from "./request-url.js";

const output = z.object({
  url: z.string(),
  finalUrl: z.string().describe("The URL after redirects."),
  title: z.string(),
  content: z.string().describe("The page as Markdown; JSON and plain text unchanged."),
  links: z.array(z.object({ text: z.string(), url: z.string() })).describe("The first links in the content."),
  truncated: z.boolean().describe("Whether there is more content than was returned."),
});

export const webFetch = defineTool({
  name: "web_fetch",
  description: "Fetch a web page and return its readable content as Markdown, with its title and links.",
  category: "network",
  annotations: { title: "Read a web page", readOnly: true, idempotent: true, openWorld: true },
  examples: [{ arguments: { url: "https://example.com/article" } }],
  input: z.object({
    url: z.string().min(1).max(32_768).describe("The full URL, with http:// or https://."),
    max_chars: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(20_000)
      .describe("Maximum number of characters of content to return."),
  }),
  output,
  resources: ({ url }) => hostResources(url, "reads"),
  preview: ({ url }) => ({ summary: `Read ${shownUrl(url)}`, address: shownUrl(url) }),
  execute: async ({ url, max_chars: maxChars }, ctx) => {
    requireUrl(url);
    const response = await ctx.http.request({
      url,
      headers: HEADERS,
      maxBytes: MAX_BYTES,
      signal: ctx.signal,
    });
    if (response.status >= 400) throw badStatus(response);
    const page = await readPage(response, maxChars, ctx);
    const truncated = page.truncated || response.truncated;
    return { url: shownUrl(url), finalUrl: response.finalUrl, ...page, links: [...page.links], truncated };
  },
  render: ({ finalUrl, title, content, links, truncated }) => {
    const cut = truncated ? "\n\n[The page continues; raise max_chars to read more.]" : "";
    const list = links.map(({ text, url }) => `- ${text || url}: ${url}`).join("\n");
    return `${title === "" ? "" : `# ${title}\n`}${finalUrl}\n\n${content}${cut}${list === "" ? "" : `\n\nLinks:\n${list}`}`;
  },
});

const HEADERS = { accept: "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5" };
const MAX_BYTES = 5 * 1024 * 1024;

async function readPage(response: HttpResponse, maxChars: number, ctx: ToolContext): Promise<Page> {
  const { body, headers, truncated, finalUrl } = response;
  const contentType = headers["content-type"] ?? "";
  const { text, binary } = readText({ body, contentType, truncated });
  if (binary) return { ...emptyPage, content: describeBinary(mediaType(contentType), body.length) };
  if (!isHtml(mediaType(contentType), text)) {
    const content = cutText(text, maxChars);
    return { ...emptyPage, content, truncated: content.length < text.length };
  }
  return toMarkdown(text, { url: finalUrl, maxChars, clock: ctx.clock, signal: ctx.signal });
}

const emptyPage: Page = { title: "", content: "", links: [], truncated: false };

function isHtml(type: string, text: string): boolean {
  if (type === "text/html" || type === "application/xhtml+xml") return true;
  return (
    type === "" &&
    /^\s*(?:<!--[^>]{0,500}-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text.slice(0, 2000))
  );
}

function describeBinary(type: string, bytes: number): string {
  return `[${type === "" ? "binary data" : type}, ${bytes} bytes: not text. Use http_get to get the bytes as Base64.]`;
}

function badStatus({ status, finalUrl }: HttpResponse): ToolExecutionError {
  const retryable = status === 429 || status >= 500;
  return new ToolExecutionError(`${new URL(finalUrl).host} responded with status ${status}.`, {
    code: "NETWORK_FAILED",
    retryable,
    hint: retryable ? "Try again later." : "Check the URL; http_get returns the body of the error response.",
    details: { status, finalUrl },
  });
}
