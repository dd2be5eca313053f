import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { CodeAnswer, CodeQuery } from "../../contract/ports/code.js";
import type { Tool } from "../../contract/tool.js";
import { isSearchFailure, queryByReading } from "./query-by-reading.js";

const input = z.object({
  query: z.string().min(1).max(2000).describe("A name, a text, or a file name."),
  type: z
    .enum(["function", "class", "variable", "file", "text", "all"])
    .default("all")
    .describe("What to search for: definitions of one kind, files by name, text, or all of these."),
  path: z.string().min(1).optional().describe("Search only below this directory, or in this file."),
  language: z
    .string()
    .min(1)
    .max(50)
    .optional()
    .describe('Only files of this language, such as "typescript".'),
  glob: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe('Only files that match this glob, such as "*.ts" or "src/**/*.test.ts".'),
  regex: z
    .boolean()
    .default(false)
    .describe("Treat the query as a regular expression (Rust syntax), matched line by line."),
  case_sensitive: z
    .boolean()
    .optional()
    .describe("Default: case-sensitive only if the query contains a capital letter."),
  context_lines: z
    .number()
    .int()
    .min(0)
    .max(20)
    .default(0)
    .describe("Lines to show before and after each match."),
  limit: z.number().int().min(1).max(200).default(20).describe("Maximum number of matches to return."),
});

const output = z.object({
  query: z.string(),
  type: z.string(),
  matches: z.array(
    z.object({
      file: z.string(),
      line: z.number(),
      column: z.number(),
      code: z.string().describe("The matching line; a very long one is truncated. Empty for a file."),
      context: z.string().describe("The line with the lines around it."),
      kind: z
        .string()
        .describe("A kind of definition, such as function, method or class; or mention, text or file"),
    }),
  ),
  truncated: z.boolean().describe("Whether there may be more matches than were returned."),
  index: z
    .object({ state: z.enum(["ready", "building", "none"]), filesParsed: z.number(), filesKnown: z.number() })
    .describe("How much of the workspace has been parsed."),
  notes: z
    .array(z.string())
    .optional()
    .describe("Notes on how the matches were found, such as limits that were reached."),
});

type QueryInput = z.infer<typeof input>;
type QueryResult = z.infer<typeof output>;

/** Finds definitions, files and text in the workspace. */
export const codeQuery: Tool = defineTool({
  name: "code_query",
  description:
    "Find code: where a function, class or variable is defined (from syntax trees), files by name, or text. Best matches first. Files ignored by .gitignore are left out unless the path points to them.",
  category: "code",
  annotations: { title: "Search code", readOnly: true, idempotent: true },
  examples: [
    { arguments: { query: "createServer", type: "function" } },
    { description: "A method of a class", arguments: { query: "Store.open" } },
    { description: "Text by pattern", arguments: { query: "TODO\\(\\w+\\)", type: "text", regex: true } },
  ],
  optionalDependsOn: ["list_files", "read_file"],
  input,
  output,
  resources: ({ path }) => ({ reads: [{ tree: path ?? "." }] }),
  execute: search,
  render,
});

async function search(request: QueryInput, ctx: ToolContext): Promise<QueryResult> {
  const { query, type } = request;
  const wanted: CodeQuery = {
    query,
    type,
    path: request.path,
    language: request.language,
    glob: request.glob,
    regex: request.regex,
    caseSensitive: request.case_sensitive,
    contextLines: request.context_lines,
    limit: request.limit,
  };
  let answer: CodeAnswer;
  try {
    answer = await ctx.code.search(wanted);
  } catch (error) {
    if (!isSearchFailure(error)) throw error;
    const { matches, truncated, notes } = await queryByReading(wanted, ctx);
    const index = { state: "none", filesParsed: 0, filesKnown: 0 } as const;
    return { query, type, matches: [...matches], truncated, index, notes: [...notes] };
  }
  for (const { file, ...shown } of answer.shown) ctx.seen.note(file, { ...shown, complete: false });
  const { matches, truncated, index, notes } = answer;
  return {
    query,
    type,
    matches: [...matches],
    truncated,
    index,
    ...(notes.length > 0 && { notes: [...notes] }),
  };
}

function render(
  { matches, truncated, notes = [], query }: QueryResult,
  { context_lines }: QueryInput,
): string {
  const lines = matches.map((match) => renderMatch(match, context_lines));
  if (matches.length === 0) lines.push(`[No matches for ${JSON.stringify(query)}.]`);
  if (truncated)
    lines.push("[There may be more matches: narrow the query, path or glob, or raise the limit.]");
  for (const note of notes) lines.push(`[${note}]`);
  return lines.join("\n");
}

function renderMatch(match: QueryResult["matches"][number], contextLines: number): string {
  const { file, line, column, code, context, kind } = match;
  if (kind === "file") return `${file} (file)`;
  const head = `${file}:${line}:${column} ${kind}`;
  if (contextLines === 0) return `${head}: ${code}`;
  const first = Math.max(1, line - contextLines);
  const numbered = context.split("\n").map((each, at) => `${first + at}\t${each}`);
  return `${head}\n${numbered.join("\n")}`;
}
