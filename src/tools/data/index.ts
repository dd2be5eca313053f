import type { ToolMakers } from "../../contract/tool-makers.js";
import { base64Decode } from "./base64-decode.js";
import { base64Encode } from "./base64-encode.js";
import { jsonParse } from "./json-parse.js";
import { jsonStringify } from "./json-stringify.js";

export const dataTools: ToolMakers = {
  json_parse: () => jsonParse,
  json_stringify: () => jsonStringify,
  base64_encode: () => base64Encode,
  base64_decode: () => base64Decode,
};
