import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { httpInput, httpResult, renderHttp, sendRequest } from "./http-result.js";
import { previewRequest } from "./preview-request.js";
import { hostResources } from "./request-url.js";

export const httpPost = defineTool({
  name: "http_post",
  description:
    "Send an HTTP POST request with a body and return the status, headers and body of the response.",
  category: "network",
  annotations: { title: "HTTP POST", dangerous: true, openWorld: true },
  examples: [{ arguments: { url: "https://api.example.com/items", body: '{"name":"lamp"}' } }],
  input: z.object(httpInput),
  output: httpResult,
  resources: ({ url }) => hostResources(url, "writes"),
  preview: (input) => previewRequest({ ...input, method: "POST" }),
  execute: ({ url, headers, body = "" }, ctx) =>
    sendRequest({ url, method: "POST", body, ...(headers && { headers }) }, ctx),
  render: renderHttp,
});
