import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import { parseJson } from "../../schema/parse-json.js";

/** Turns JSON text into data. */
export const jsonParse = defineTool({
  name: "json_parse",
  description: "Parse JSON text into data; an error says the line and column.",
  category: "data",
  annotations: { title: "Parse JSON", readOnly: true, idempotent: true, cacheable: true },
  examples: [{ arguments: { text: '{"a": [1, 2]}' } }],
  input: z.object({ text: z.string().describe("The JSON text, one whole value.") }),
  output: z.object({ data: z.unknown().describe("The value that the text describes.") }),
  execute: ({ text }) => {
    const parsed = parseJson(text);
    if (!parsed.ok) throw notJson(parsed);
    const flaw = findFlaw(parsed.value);
    if (flaw !== undefined) throw new ToolValidationError(flaw.message, { ...flaw, code: "VALUE_INVALID" });
    return { data: parsed.value };
  },
  render: ({ data }) => JSON.stringify(data, null, 2),
});

function notJson(fault: {
  message: string;
  line: number;
  column: number;
  position: number;
}): ToolValidationError {
  const { message, line, column, position } = fault;
  const place = `line ${line}, column ${column}`;
  return new ToolValidationError(
    message.includes(place) ? message : `The text is not JSON at ${place}: ${message}`,
    {
      code: "VALUE_INVALID",
      hint: "Correct the text there: JSON has double quotes only, no comments, no trailing commas.",
      details: { argument: "text", line, column, position },
    },
  );
}

/** Deeper data would be cut on its way out, or overflow the stack of whoever walks it. */
const maxDepth = 128;

/** JSON text can say what the answer cannot carry; a cut answer would be worse than none. */
function findFlaw(root: unknown): { message: string; hint: string } | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === "number" && !Number.isFinite(value)) {
      return {
        message: "The text holds a number too large to represent.",
        hint: "Write the number as a string.",
      };
    }
    if (value === null || typeof value !== "object") continue;
    if (depth >= maxDepth) {
      const message = `The data is nested deeper than ${maxDepth} levels.`;
      return { message, hint: "Parse the inner parts one by one." };
    }
    for (const item of Object.values(value)) open.push({ value: item, depth: depth + 1 });
  }
  return undefined;
}
