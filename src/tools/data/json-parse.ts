import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import { type ParsedJson, parseJson } from "../../schema/parse-json.js";

/** Turns JSON text into data. */
export const jsonParse = defineTool({
  name: "json_parse",
  description: "Parse JSON text. An error reports the line and column.",
  category: "data",
  annotations: { title: "Parse JSON", readOnly: true, idempotent: true, cacheable: true },
  examples: [{ arguments: { text: '{"a": [1, 2]}' } }],
  input: z.object({ text: z.string().describe("The JSON text, one complete value.") }),
  output: z.object({ data: z.unknown().describe("The parsed value.") }),
  execute: ({ text }) => {
    const parsed = parseJson(text);
    if (!parsed.ok) throw notJson(parsed);
    return { data: parsed.value };
  },
  render: ({ data }) => JSON.stringify(data, null, 2),
});

function notJson({
  message,
  line,
  column,
  position,
}: Extract<ParsedJson, { ok: false }>): ToolValidationError {
  return new ToolValidationError(`Invalid JSON: ${message}.`, {
    code: "VALUE_INVALID",
    hint: `Fix the text at line ${line}, column ${column}. JSON has only double quotes, no comments and no trailing commas.`,
    details: { argument: "text", line, column, position },
  });
}
