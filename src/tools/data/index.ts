import type { Tool } from "../../contract/tool.js";
import { base64Decode } from "./base64-decode.js";
import { base64Encode } from "./base64-encode.js";
import { jsonParse } from "./json-parse.js";
import { jsonStringify } from "./json-stringify.js";

export const dataTools: readonly Tool[] = [jsonParse, jsonStringify, base64Encode, base64Decode];
