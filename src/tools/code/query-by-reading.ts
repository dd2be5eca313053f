import type { ToolContext } from "../../contract/context.js";
import { ToolError, ToolUnavailableError } from "../../contract/errors.js";
import type { CodeMatch, CodeQuery } from "../../contract/ports/code.js";
import { languageOfName } from "../../text/detect-language.js";
import { linearPattern } from "../../schema/linear-pattern.js";

/** What was found by listing and reading files. */
export interface FoundByReading {
  readonly matches: readonly CodeMatch[];
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

const maxFiles = 2000;
const maxFileBytes = 1024 * 1024;
const maxMs = 15_000;

interface ListedFile {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/** Whether code search failed in a way that says nothing about the query. */
export function isSearchFailure(error: unknown): boolean {
  if (!(error instanceof ToolError)) return !(error instanceof Error && error.name === "AbortError");
  return ["ToolExecutionError", "ToolInternalError", "ToolUnavailableError"].includes(error.name);
}

/** Answer a query with list_files and read_file, where search itself does not work: slower, and by text only. */
export async function queryByReading(query: CodeQuery, ctx: ToolContext): Promise<FoundByReading> {
  const files = await listFiles(query, ctx);
  const find = createFinder(query);
  const matches: CodeMatch[] = [];
  const until = ctx.clock.monotonic() + maxMs;
  let unread = 0;
  for (const { path, name, size } of files) {
    if (matches.length > query.limit) break;
    if (query.type === "file" || query.type === "all") {
      if (find(name)) matches.push({ file: path, line: 1, column: 1, code: "", context: "", kind: "file" });
    }
    if (query.type === "file") continue;
    if (size > maxFileBytes || ctx.clock.monotonic() > until) {
      unread += 1;
      continue;
    }
    matches.push(...(await matchesIn(path, { find, query, ctx })));
  }
  const notes = ["Search does not work at the moment: files were listed and read one by one."];
  if (unread > 0)
    notes.push(`${unread} files were not searched, because they are too large or time ran out.`);
  const truncated = unread > 0 || matches.length > query.limit || files.length === maxFiles;
  return { matches: matches.slice(0, query.limit), truncated, notes };
}

async function listFiles({ path, glob, language }: CodeQuery, ctx: ToolContext): Promise<ListedFile[]> {
  const answer = await ctx.call({
    name: "list_files",
    arguments: {
      path: path ?? ".",
      recursive: true,
      limit: maxFiles,
      ...(glob !== undefined && { pattern: glob }),
    },
  });
  if (!answer.success) throw new ToolUnavailableError(answer.error.message, { hint: "Use grep instead." });
  const { files } = answer.result as { files: ListedFile[] };
  const wanted = language?.toLowerCase();
  return files.filter(
    (file) => file.type === "file" && (wanted === undefined || languageOfName(file.name) === wanted),
  );
}

interface FileQuery {
  readonly find: (text: string) => boolean;
  readonly query: CodeQuery;
  readonly ctx: ToolContext;
}

/** Matching lines of a file; a file that cannot be read has none. */
async function matchesIn(file: string, { find, query, ctx }: FileQuery): Promise<CodeMatch[]> {
  const answer = await ctx.call({ name: "read_file", arguments: { path: file } });
  if (!answer.success) return [];
  const { content, encoding } = answer.result as { content: string; encoding: string | null };
  if (encoding === null) return [];
  const lines = content.split(/\r?\n/);
  const { contextLines } = query;
  return lines.flatMap((code, at): CodeMatch[] => {
    if (!find(code)) return [];
    const context = lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).join("\n");
    const column = query.regex ? 1 : foldedIndex(code, query) + 1;
    return [{ file, line: at + 1, column, code, context, kind: "text" }];
  });
}

function createFinder(query: CodeQuery): (text: string) => boolean {
  if (!query.regex) return (text) => foldedIndex(text, query) !== -1;
  const pattern = linearPattern(query.query, { left: 50_000_000 }, !isCaseSensitive(query));
  return (text) => pattern.test(text);
}

function isCaseSensitive({ query, caseSensitive = /\p{Lu}/u.test(query) }: CodeQuery): boolean {
  return caseSensitive;
}

function foldedIndex(text: string, wanted: CodeQuery): number {
  const { query } = wanted;
  return isCaseSensitive(wanted) ? text.indexOf(query) : text.toLowerCase().indexOf(query.toLowerCase());
}
