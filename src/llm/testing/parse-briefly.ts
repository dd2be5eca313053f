import { parseToolCalls } from "../parse/parse-tool-calls.js";
import { fixtureTools } from "./malformed-calls.js";

/** Parse a text, and show of its calls and problems what tests compare. */
export function parseBriefly(text: string) {
  const { calls, problems, text: rest } = parseToolCalls(text, { tools: fixtureTools });
  return {
    calls: calls.map(({ name, arguments: values }) => [name, values]),
    problems: problems.map(({ code }) => code),
    rest,
  };
}
