import type { Tool } from "../../contract/tool.js";
import { httpGet } from "./http-get.js";
import { httpPost } from "./http-post.js";
import { httpRequest } from "./http-request.js";
import { webFetch } from "./web-fetch.js";
import { webSearch } from "./web-search.js";

export const networkTools: readonly Tool[] = [httpGet, httpPost, httpRequest, webFetch, webSearch];
