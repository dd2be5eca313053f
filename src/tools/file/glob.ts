import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { Tool } from "../../contract/tool.js";
import { compileGlob, notADirectory } from "./list-files.js";

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .max(8192)
    .describe('A glob such as "*.ts" (at any depth) or "src/**/*.test.ts" (relative to path).'),
  path: z
    .string()
    .min(1)
    .default(".")
    .describe("The directory to search, relative to the workspace or absolute."),
  limit: z.number().int().min(1).max(10_000).default(500).describe("Maximum number of files to return."),
  offset: z.number().int().min(0).default(0).describe("Files to skip, to see the next ones."),
});

const output = z.object({
  files: z.array(z.string()).describe("Paths relative to the workspace, in order of their names."),
  total: z.number().describe("All files that match."),
  nextOffset: z.number().optional().describe("The offset of the next page, if there is one."),
  note: z.string().optional().describe("What was left out."),
});

type GlobInput = z.infer<typeof input>;
type GlobResult = z.infer<typeof output>;

/** Finds files by their names. */
export const glob: Tool = defineTool({
  name: "glob",
  description:
    "Find files by a glob. Files ignored by .gitignore are left out unless the path points to them; symbolic links are not followed.",
  category: "file",
  annotations: { title: "Find files", readOnly: true, idempotent: true },
  examples: [{ arguments: { pattern: "**/*.test.ts" } }, { arguments: { pattern: "*.md", path: "docs" } }],
  input,
  output,
  resources: ({ path }) => ({ reads: [{ tree: path }] }),
  execute: findFiles,
  render: ({ files, total, nextOffset, note }) => {
    const lines = [...files];
    if (total === 0) lines.push("[No file matches the pattern.]");
    if (nextOffset !== undefined) lines.push(`[${total} files in all. Continue with offset ${nextOffset}.]`);
    if (note !== undefined) lines.push(`[${note}]`);
    return lines.join("\n");
  },
});

async function findFiles(
  { pattern: text, path, limit, offset }: GlobInput,
  ctx: ToolContext,
): Promise<GlobResult> {
  const pattern = compileGlob(text);
  const found: string[] = [];
  let ignored = 0;
  try {
    const walk = ctx.files.walk(path, {
      wants: (entry) => entry.type === "file" && pattern.matches(entry.path, entry.name),
      enters: (directory) => pattern.reaches(directory),
    });
    for await (const batch of walk) {
      for (const entry of batch.entries) found.push(entry.path);
      ({ ignored } = batch);
    }
  } catch (error) {
    throw notADirectory(error, path);
  }
  const files = found.sort().slice(offset, offset + limit);
  const hasMore = offset + limit < found.length;
  return {
    files,
    total: found.length,
    ...(hasMore && { nextOffset: offset + limit }),
    ...(ignored > 0 && { note: `${ignored} ignored entries were not searched.` }),
  };
}
