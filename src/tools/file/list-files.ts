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
  recursive: z.boolean().default(false).describe("List everything below, too."),
  pattern: z
    .string()
    .min(1)
    .max(8192)
    .optional()
    .describe('A glob such as "*.ts" (any depth) or "src/**/*.test.ts" (from the path on).'),
  include_ignored: z.boolean().default(false).describe("Show what .gitignore files leave out, and .git."),
  limit: z.number().int().min(1).max(200_000).default(1000).describe("Most entries to return."),
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
  truncated: z.boolean().describe("There are more entries than were returned."),
  note: z.string().optional().describe("What was left out, and how to see it."),
});

type ListResult = z.infer<typeof output>;
type ListInput = z.infer<typeof input>;

/** Lists a directory, or all below it. */
export const listFiles: Tool = defineTool({
  name: "list_files",
  description:
    "List a directory, or with recursive all below it, with types, sizes and times. What .gitignore names is left out; links are not followed.",
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
      if (fresh.length > 0) yield { output: linesOf(fresh), progress: files.length };
      if (truncated) break;
    }
  } catch (error) {
    throw notADirectory(error, path);
  }
  const note = noteOn(request, { count: files.length, truncated, last });
  return { path, files: files as ListResult["files"], truncated, ...(note !== "" && { note }) };
}

function toWalk({ recursive, pattern: text, include_ignored: all }: ListInput): WalkOptions {
  const pattern = text === undefined ? undefined : compile(text);
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

function compile(pattern: string): PathPattern {
  try {
    return compilePathPattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ToolValidationError(
      `The pattern ${JSON.stringify(pattern.slice(0, 200))} cannot be used: ${error.message}.`,
      {
        code: "VALUE_INVALID",
        hint: "Use *, ?, [a-z], {a,b} and ** for any directories.",
      },
    );
  }
}

function linesOf(entries: readonly WalkEntry[]): string {
  return `${entries.map((entry) => entryLine({ ...entry, name: entry.path })).join("\n")}\n`;
}

interface Outcome {
  readonly count: number;
  readonly truncated: boolean;
  readonly last: WalkBatch | undefined;
}

function noteOn(request: ListInput, { count, truncated, last }: Outcome): string {
  const { ignored = 0, unreachable = 0, unreadable = 0 } = last ?? {};
  const said: string[] = [];
  if (truncated) {
    said.push(`There are more than ${count} entries: name a deeper path or a pattern, or raise the limit.`);
  }
  if (ignored > 0) said.push(`${ignored} ignored entries are left out; include_ignored shows them.`);
  if (unreachable > 0) {
    said.push(`${unreachable} entries lie too deep: their paths are longer than the system takes.`);
  }
  if (unreadable > 0) said.push(`${unreadable} directories could not be read.`);
  if (count === 0 && said.length === 0) {
    said.push(request.pattern === undefined ? "The directory is empty." : "Nothing matches the pattern.");
  }
  return said.join(" ");
}

function notADirectory(error: unknown, path: string): unknown {
  if (!(error instanceof ToolError) || error.details?.["errno"] !== "ENOTDIR") return error;
  return new ToolValidationError(`${JSON.stringify(path)} is no directory.`, {
    code: "VALUE_INVALID",
    hint: "Name a directory; read_file and get_file_info take files.",
  });
}
