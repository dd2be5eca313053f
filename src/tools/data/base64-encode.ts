import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";

export const base64Encode = defineTool({
  name: "base64_encode",
  description: "Encode text (as UTF-8) to Base64.",
  category: "data",
  annotations: { title: "Encode Base64", readOnly: true, idempotent: true, cacheable: true },
  examples: [{ arguments: { text: "Hello" } }],
  input: z.object({ text: z.string().describe("The text to encode.") }),
  output: z.object({ encoded: z.string() }),
  execute: ({ text }) => {
    if (loneSurrogate.test(text)) throw brokenText();
    return { encoded: Buffer.from(text, "utf8").toString("base64") };
  },
  render: ({ encoded }) => encoded,
});

const loneSurrogate = /\p{Surrogate}/u;

function brokenText(): ToolValidationError {
  return new ToolValidationError(
    "The text contains half of a character (a lone surrogate), which cannot be encoded as UTF-8.",
    {
      code: "VALUE_INVALID",
      hint: "Send complete characters; the text was probably cut in the middle of one.",
      details: { argument: "text" },
    },
  );
}
