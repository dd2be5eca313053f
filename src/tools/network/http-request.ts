import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { httpInput, httpResult, renderHttp, sendRequest } from "./http-result.js";
import { previewRequest } from "./preview-request.js";
import { hostResources } from "./request-url.js";

export const httpRequest = defineTool({
  name: "http_request",
  description:
    "Send an HTTP request with any method and return the status, headers and body of the response.",
  category: "network",
  annotations: { title: "HTTP request", dangerous: true, openWorld: true },
  examples: [{ arguments: { url: "https://api.example.com/items/1", method: "DELETE" } }],
  input: z.object({
    ...httpInput,
    method: z
      .string()
      .min(1)
      .max(32)
      .optional()
      .describe("GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS. Default: GET."),
  }),
  output: httpResult,
  resources: ({ url, method }) => hostResources(url, isReadMethod(method) ? "reads" : "writes"),
  preview: (input) => previewRequest({ ...input, method: (input.method ?? "GET").toUpperCase() }),
  execute: ({ url, method = "GET", headers, body }, ctx) =>
    sendRequest({ url, method, ...(headers && { headers }), ...(body !== undefined && { body }) }, ctx),
  render: renderHttp,
});

function isReadMethod(method = "GET"): boolean {
  return ["GET", "HEAD", "OPTIONS"].includes(method.toUpperCase());
}
