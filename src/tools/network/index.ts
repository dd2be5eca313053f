import type { ToolMakers } from "../../contract/tool-makers.js";
import { httpGet } from "./http-get.js";
import { httpPost } from "./http-post.js";
import { httpRequest } from "./http-request.js";
import { webFetch } from "./web-fetch.js";
import { webSearch } from "./web-search.js";

export const networkTools: ToolMakers = {
  http_get: () => httpGet,
  http_post: () => httpPost,
  http_request: () => httpRequest,
  web_fetch: () => webFetch,
  web_search: () => webSearch,
};
