import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";

const input = z.object({
  handle: z.string().min(1).max(64).describe('As a result names it, "out_…".'),
  start_line: z.number().int().min(1).optional().describe("First line, from 1."),
  end_line: z.number().int().min(1).optional().describe("Last line; as many as fit if left out."),
  search: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Show the lines that hold this text, taken as it is, in the place of a page."),
  ignore_case: z.boolean().default(false).describe("For search: upper and lower case are the same."),
  limit: z.number().int().min(1).max(1000).default(100).describe("For search: how many lines at most."),
});

type ReadInput = z.infer<typeof input>;

const output = z.object({
  handle: z.string(),
  text: z.string().optional(),
  startLine: z.number().optional(),
  endLine: z.number().optional(),
  totalLines: z.number().optional(),
  more: z.boolean().optional().describe("More lines follow."),
  matches: z.array(z.object({ line: z.number(), text: z.string() })).optional(),
  truncated: z.boolean().optional().describe("There are more matches than are shown."),
});

type ReadResult = z.infer<typeof output>;

/** Pages or searches an output that was too large for its answer. */
export const readResult = defineTool({
  name: "read_result",
  description:
    "Read or search an output that was too large for its answer, by the handle that the answer names.",
  category: "system",
  annotations: { title: "Read kept output", readOnly: true, idempotent: true },
  examples: [
    { arguments: { handle: "out_0123456789abcdefghijkl", start_line: 1, end_line: 200 } },
    { arguments: { handle: "out_0123456789abcdefghijkl", search: "error" } },
  ],
  input,
  output,
  execute: (call, ctx) =>
    call.search === undefined ? readPage(call, ctx) : findLines(call, call.search, ctx),
  render,
});

async function readPage(
  { handle, start_line, end_line }: ReadInput,
  { outputs }: ToolContext,
): Promise<ReadResult> {
  const page = await outputs.page(handle, {
    ...(start_line !== undefined && { startLine: start_line }),
    ...(end_line !== undefined && { endLine: end_line }),
  });
  return { handle, ...page };
}

async function findLines(call: ReadInput, text: string, { outputs }: ToolContext): Promise<ReadResult> {
  const { handle, limit, ignore_case } = call;
  const { matches, truncated } = await outputs.search(handle, text, { limit, ignoreCase: ignore_case });
  return { handle, matches: matches.map((match) => ({ ...match })), truncated };
}

function render(result: ReadResult): string {
  const { matches, text = "", startLine = 1, endLine = 0, totalLines = 0, more } = result;
  if (matches !== undefined) {
    if (matches.length === 0) return "No line holds that text.";
    const shown = matches.map(({ line, text: found }) => `${line}: ${found}`);
    return [...shown, ...(result.truncated === true ? ["[there are more]"] : [])].join("\n");
  }
  if (endLine < startLine) return `[there are only ${totalLines} lines]`;
  const next = more === true ? `; go on with start_line ${endLine + 1}` : "";
  return `${text}\n[lines ${startLine} to ${endLine} of ${totalLines}${next}]`;
}
