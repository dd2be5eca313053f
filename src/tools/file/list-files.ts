import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolError, ToolValidationError } from "../../contract/errors.js";
import type { WalkBatch, WalkEntry, WalkOptions } from "../../contract/ports/files.js";
import type { Tool, ToolProgress } from "../../contract/tool.js";
import { compilePathPattern, type PathPattern } from "../../glob/path-pattern.js";
import { PatternError } from "../../glob/wildcard.js";
import { entryLine } from "./list-directory.js";

const input = z.object({
  path: z.string().min(1).default(".").describe("The directory, relative to the workspace or absolute."),
  recursive: z.boolean().default(false).describe("Include everything below the directory."),
  pattern: z
    .string()
    .min(1)
    .max(8192)
    .optional()
    .describe('A glob such as "*.ts" (at any depth) or "src/**/*.test.ts" (relative to path).'),
  include_ignored: z.boolean().default(false).describe("Include files ignored by .gitignore, and .git."),
  limit: z.number().int().min(1).max(200_000).default(1000).describe("Maximum number of entries to return."),
});

const output = z.object({
  path: z.string(),
  files: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      type: z.enum(["file", "directory", "symlink", "other"]),
      size: z.number().describe("Bytes."),
      modified: z.number().describe("Unix time in milliseconds."),
    }),
  ),
  truncated: z.boolean().describe("Whether there are more entries than were returned."),
  note: z.string().optional().describe("What was left out, and how to see it."),
});

type ListResult = z.infer<typeof output>;
type ListInput = z.infer<typeof input>;

/** Lists a directory, or everything below it. */
export const listFiles: Tool = defineTool({
  name: "list_files",
  description:
    "List a directory, or everything below it with recursive, with types, sizes and times. Files ignored by .gitignore are left out; symbolic links are not followed.",
  category: "file",
  aliases: ["file_list"],
  annotations: { title: "List files", readOnly: true, idempotent: true },
  examples: [
    { arguments: { path: "src" } },
    { description: "All tests", arguments: { pattern: "src/**/*.test.ts" } },
  ],
  input,
  output,
  resources: ({ path, recursive, pattern }) => ({
    reads: [recursive || pattern?.includes("/") ? { tree: path } : { path }],
  }),
  execute: list,
  render: ({ files, note }) => {
    const lines = files.map((entry) => entryLine({ ...entry, name: entry.path }));
    if (note !== undefined) lines.push(`[${note}]`);
    return lines.join("\n");
  },
});

async function* list(request: ListInput, ctx: ToolContext): AsyncGenerator<ToolProgress, ListResult, void> {
  const { path, limit } = request;
  const files: WalkEntry[] = [];
  let last: WalkBatch | undefined;
  let truncated = false;
  try {
    for await (const batch of ctx.files.walk(path, toWalk(request))) {
      last = batch;
      const room = limit - files.length;
      truncated = batch.entries.length > room;
      const fresh = truncated ? batch.entries.slice(0, room) : batch.entries;
      for (const entry of fresh) files.push(entry);
      if (fresh.length > 0) yield { output: entryLines(fresh), progress: files.length };
      if (truncated) break;
    }
  } catch (error) {
    throw notADirectory(error, path);
  }
  const note = noteOn(request, { count: files.length, truncated, last });
  return { path, files: files as ListResult["files"], truncated, ...(note !== "" && { note }) };
}

function toWalk({ recursive, pattern: text, include_ignored: all }: ListInput): WalkOptions {
  const pattern = text === undefined ? undefined : compileGlob(text);
  const whole = recursive || pattern?.deep === true;
  return {
    ignore: !all,
    stats: true,
    ...(!whole && { depth: 1 }),
    ...(pattern !== undefined && {
      wants: ({ path, name, type }) =>
        (!pattern.directoriesOnly || type === "directory") && pattern.matches(path, name),
      enters: (path) => pattern.reaches(path),
    }),
  };
}

/** Compile a glob; a bad one is refused with what is wrong with it. */
export function compileGlob(pattern: string): PathPattern {
  try {
    return compilePathPattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ToolValidationError(
      `Invalid pattern ${JSON.stringify(pattern.slice(0, 200))}: ${error.message}.`,
      {
        code: "VALUE_INVALID",
        hint: "Use *, ?, [a-z], {a,b}, and ** for any number of directories.",
      },
    );
  }
}

function entryLines(entries: readonly WalkEntry[]): string {
  return `${entries.map((entry) => entryLine({ ...entry, name: entry.path })).join("\n")}\n`;
}

interface ListOutcome {
  readonly count: number;
  readonly truncated: boolean;
  readonly last: WalkBatch | undefined;
}

function noteOn(request: ListInput, { count, truncated, last }: ListOutcome): string {
  const { ignored = 0, unreachable = 0, unreadable = 0 } = last ?? {};
  const notes: string[] = [];
  if (truncated) {
    notes.push(`There are more than ${count} entries: use a deeper path or a pattern, or raise the limit.`);
  }
  if (ignored > 0) notes.push(`${ignored} ignored entries are not shown; set include_ignored to see them.`);
  if (unreachable > 0) {
    notes.push(`${unreachable} entries are too deep: their paths exceed the maximum length of the system.`);
  }
  if (unreadable > 0) notes.push(`${unreadable} directories could not be read.`);
  if (count === 0 && notes.length === 0) {
    notes.push(request.pattern === undefined ? "The directory is empty." : "Nothing matches the pattern.");
  }
  return notes.join(" ");
}

/** The error for a path that is not a directory; other errors as they are. */
export function notADirectory(error: unknown, path: string): unknown {
  if (!(error instanceof ToolError) || error.details?.["errno"] !== "ENOTDIR") return error;
  return new ToolValidationError(`${JSON.stringify(path)} is not a directory.`, {
    code: "VALUE_INVALID",
    hint: "Pass a directory; for files use read_file or get_file_info.",
  });
}
