import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { httpInput, httpResult, renderHttp, sendRequest } from "./http-result.js";
import { hostResources, shownUrl } from "./request-url.js";

export const httpGet = defineTool({
  name: "http_get",
  description: "Send an HTTP GET request and return the status, headers and body.",
  category: "network",
  annotations: { title: "HTTP GET", readOnly: true, idempotent: true, openWorld: true },
  examples: [
    { arguments: { url: "https://api.example.com/items", headers: { accept: "application/json" } } },
  ],
  input: z.object({ url: httpInput.url, headers: httpInput.headers }),
  output: httpResult,
  resources: ({ url }) => hostResources(url, "reads"),
  preview: ({ url }) => ({ summary: `GET ${shownUrl(url)}`, address: shownUrl(url) }),
  execute: ({ url, headers }, ctx) => sendRequest({ url, method: "GET", ...(headers && { headers }) }, ctx),
  render: renderHttp,
});
