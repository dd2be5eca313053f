import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { Tool } from "../../contract/tool.js";

const input = z.object({
  pattern: z.string().min(1).max(4000).describe("A regular expression (Rust syntax)."),
  path: z.string().min(1).optional().describe("Search only below this directory, or in this file."),
  glob: z.string().min(1).max(2000).optional().describe('Only files that match this glob, such as "*.ts".'),
  mode: z
    .enum(["content", "files", "count"])
    .default("content")
    .describe("Show matching lines, names of files with matches, or the number of matching lines per file."),
  context: z.number().int().min(0).max(50).default(0).describe("Lines to show before and after each match."),
  ignore_case: z.boolean().default(false),
  multiline: z.boolean().default(false).describe("Let the pattern match across lines; . matches newlines."),
  limit: z.number().int().min(1).max(5000).default(200).describe("Maximum number of matches or files."),
  offset: z.number().int().min(0).default(0).describe("Matches or files to skip, to see the next ones."),
});

const output = z.object({
  mode: z.enum(["content", "files", "count"]),
  lines: z
    .array(
      z.object({
        file: z.string(),
        line: z.number(),
        text: z.string().describe("Of a very long line, the part around the match."),
        startChar: z
          .number()
          .optional()
          .describe("First character of the line that is shown, if not its first."),
        isMatch: z.boolean().describe("false for a line around a match."),
      }),
    )
    .optional(),
  files: z.array(z.object({ file: z.string(), count: z.number().optional() })).optional(),
  total: z.number().describe("All matching lines; all files with matches in mode files."),
  nextOffset: z.number().optional().describe("The offset of the next page, if there is one."),
  notes: z.array(z.string()).optional().describe("Limits that were reached and files that were left out."),
});

type GrepInput = z.infer<typeof input>;
type GrepResult = z.infer<typeof output>;

/** Finds lines in files by a regular expression. */
export const grep: Tool = defineTool({
  name: "grep",
  description:
    "Find lines in files by a regular expression, in the order of file and line. Files ignored by .gitignore are left out unless the path points to them. To find definitions, use code_query.",
  category: "code",
  annotations: { title: "Search text", readOnly: true, idempotent: true },
  examples: [
    { arguments: { pattern: "TODO\\(\\w+\\)", glob: "*.ts" } },
    { description: "Which files", arguments: { pattern: "createServer", mode: "files", path: "src" } },
  ],
  input,
  output,
  resources: ({ path }) => ({ reads: [{ tree: path ?? "." }] }),
  execute: search,
  render,
});

async function search(request: GrepInput, ctx: ToolContext): Promise<GrepResult> {
  const { mode, limit, offset, ignore_case: ignoreCase, ...rest } = request;
  const answer = await ctx.code.grep({ ...rest, mode, limit, offset, ignoreCase });
  for (const shown of answer.shown) ctx.seen.note(shown.file, { ...shown, complete: false });
  const { lines, files, total, notes } = answer;
  const isContent = mode === "content";
  const pageSize = isContent ? lines.filter(({ isMatch }) => isMatch).length : files.length;
  const hasMore = mode === "count" ? pageSize === limit : offset + limit < total;
  return {
    mode,
    ...(isContent ? { lines: [...lines] } : { files: [...files] }),
    total,
    ...(hasMore && pageSize > 0 && { nextOffset: offset + limit }),
    ...(notes.length > 0 && { notes: [...notes] }),
  };
}

function render(result: GrepResult, { pattern, offset, context }: GrepInput): string {
  const { lines = [], files = [], total, nextOffset, notes = [] } = result;
  const shown = result.mode === "content" ? renderLines(lines, context) : files.map(renderFile);
  if (total === 0) shown.push(`[No matches for ${JSON.stringify(pattern)}.]`);
  else if (shown.length === 0) shown.push(`[No more matches: there are ${total}, and offset is ${offset}.]`);
  if (nextOffset !== undefined) {
    shown.push(
      `[${total} ${result.mode === "files" ? "files" : "matching lines"} in all. Continue with offset ${nextOffset}.]`,
    );
  }
  return [...shown, ...notes.map((note) => `[${note}]`)].join("\n");
}

/** As grep prints them: "file:12:text", and "file-11-text" for lines around a match. */
function renderLines(lines: NonNullable<GrepResult["lines"]>, context: number): string[] {
  return lines.flatMap(({ file, line, text, isMatch, startChar }, at) => {
    const last = lines[at - 1];
    const isApart = context > 0 && last !== undefined && (last.file !== file || last.line !== line - 1);
    const mark = isMatch ? ":" : "-";
    const from = startChar === undefined ? "" : ` [from start_char ${startChar}]`;
    return [...(isApart ? ["--"] : []), `${file}${mark}${line}${mark}${text}${from}`];
  });
}

function renderFile({ file, count }: { file: string; count?: number | undefined }): string {
  return count === undefined ? file : `${file}:${count}`;
}
