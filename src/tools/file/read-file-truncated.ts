import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { OpenFile } from "../../contract/ports/files.js";
import type { Tool } from "../../contract/tool.js";
import type { Syntax } from "../../syntax/create-syntax.js";
import { outlineSource } from "../../syntax/outline-source.js";
import { decodeText } from "../../text/decode-text.js";
import { detectLanguage } from "../../text/detect-language.js";
import { looksBinary } from "../../text/is-binary.js";
import { describeBinary } from "./binary/read-binary.js";
import { cutMiddle, type Excerpt } from "./excerpt.js";
import { listDirectory } from "./list-directory.js";
import type { LineReader } from "./lines/line-reader.js";
import { noteSeen, openedAs } from "./note-seen.js";
import { numberLines } from "./number-lines.js";
import { fitOutline } from "./outline-text.js";
import { withOpenFile } from "./read-content.js";

const output = z.object({
  path: z.string(),
  content: z.string().describe("The structure, or the start and end of the text."),
  size: z.number().describe("Size of the whole file in bytes."),
  encoding: z.string().nullable(),
  language: z.string().nullable(),
  totalLines: z.number().nullable(),
  kind: z.enum(["whole", "structure", "excerpt", "listing", "description"]),
  truncated: z.boolean().describe("Whether the content is not the whole file."),
  omitted: z
    .object({ startLine: z.number(), endLine: z.number() })
    .nullable()
    .describe("The lines that are left out."),
  note: z.string().optional(),
});

type TruncatedResult = z.infer<typeof output>;

export interface TruncatedDeps {
  readonly lines: LineReader;
  readonly syntax: Syntax;
}

/** Shows the essential parts of a file in few characters. */
export function createReadFileTruncated(parts: TruncatedDeps): Tool {
  return defineTool({
    name: "read_file_truncated",
    description:
      "Get an overview of a file in few characters: for code its structure (declarations with line numbers), for other text the start and end.",
    category: "file",
    annotations: { title: "Skim a file", readOnly: true, idempotent: true, cacheable: true },
    examples: [{ arguments: { path: "src/server.ts" } }, { arguments: { path: "app.log", max_chars: 500 } }],
    input: z.object({
      path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
      max_chars: z
        .number()
        .int()
        .min(1)
        .max(80_000)
        .default(2000)
        .describe("Maximum number of characters of content to return."),
      prefer_structure: z
        .boolean()
        .default(true)
        .describe("For code, show the structure instead of the text."),
    }),
    output,
    resources: ({ path }) => ({ reads: [{ path }] }),
    execute: (request, ctx) =>
      withOpenFile<TruncatedResult>(request.path, ctx, {
        directory: () => skimDirectory(request.path, ctx),
        file: (file, start) => skim(file, start(), { request, ctx, ...parts }),
      }),
    render: renderTruncated,
  });
}

interface Skim extends TruncatedDeps {
  readonly request: { path: string; max_chars: number; prefer_structure: boolean };
  readonly ctx: ToolContext;
}

/** Larger files are usually data rather than code, and parsing them would take too long. */
const maxSourceBytes = 2 * 1024 * 1024;

async function skim(
  file: OpenFile,
  head: Uint8Array,
  skimming: Skim,
): Promise<{ value: TruncatedResult; keep?: () => void }> {
  const { request, ctx } = skimming;
  if (looksBinary(head)) return { value: await skimBinary(file, head, skimming) };
  const { path, max_chars: maxChars } = request;
  const excerpt = await cutMiddle(file, head, { maxChars, lines: skimming.lines, during: ctx });
  const language = detectLanguage(path, excerpt.head.content.slice(0, 4000));
  const { encoding, totalLines = null } = excerpt.head;
  const about = { path, size: file.stat.size, encoding, language, totalLines };
  const whole = excerpt.omitted === null && !excerpt.head.cut;
  const outline =
    whole || !request.prefer_structure ? undefined : await readOutline(file, language, skimming);
  if (outline !== undefined) {
    const { text, complete } = fitOutline(outline, maxChars);
    const note = complete ? undefined : "The structure is incomplete; raise max_chars for more.";
    return {
      value: {
        ...about,
        kind: "structure",
        content: text,
        truncated: true,
        omitted: null,
        ...(note && { note }),
      },
    };
  }
  return {
    value: {
      ...about,
      kind: whole ? "whole" : "excerpt",
      content: excerpt.content,
      truncated: !whole,
      omitted: excerpt.omitted,
    },
    keep: () => keepSeen(ctx, file, excerpt),
  };
}

function keepSeen(ctx: ToolContext, file: OpenFile, { head, tail }: Excerpt): void {
  const about = openedAs(file);
  for (const page of tail === undefined ? [head] : [head, tail]) {
    // An excerpt may show less of a line that was cut than was read of it.
    const lines = page.partial ? page.lines.slice(0, -1) : page.lines;
    noteSeen(ctx, { ...about, ...page, lines, partial: false });
  }
}

async function readOutline(file: OpenFile, language: string, { syntax, ctx }: Skim) {
  if (file.stat.size > maxSourceBytes || !syntax.supports(language)) return undefined;
  const bytes = Buffer.alloc(file.stat.size);
  let filled = 0;
  for (let got = 1; got > 0 && filled < bytes.length; filled += got) {
    got = file.readInto(bytes.subarray(filled), filled);
  }
  const { text } = decodeText(bytes.subarray(0, filled));
  ctx.signal.throwIfAborted();
  try {
    return await outlineSource(text, language, syntax);
  } catch {
    // Without a working grammar, the text is shown instead.
    return undefined;
  }
}

async function skimBinary(
  file: OpenFile,
  head: Uint8Array,
  { request, ctx }: Skim,
): Promise<TruncatedResult> {
  const { content, mimeType, note } = await describeBinary(file, head, { path: request.path, ctx });
  const text = content.slice(0, request.max_chars).toWellFormed();
  return {
    path: request.path,
    content: text,
    size: file.stat.size,
    encoding: null,
    language: null,
    totalLines: null,
    kind: "description",
    truncated: true,
    omitted: null,
    note: note ?? `${mimeType}; use read_file to see more.`,
  };
}

async function skimDirectory(path: string, ctx: ToolContext): Promise<TruncatedResult> {
  const { content, truncated, note } = await listDirectory(path, ctx);
  return {
    path,
    content,
    size: 0,
    encoding: null,
    language: null,
    totalLines: null,
    kind: "listing",
    truncated,
    omitted: null,
    ...(note !== undefined && { note }),
  };
}

function renderTruncated({ kind, content, omitted, totalLines, path, note }: TruncatedResult): string {
  const notes = note === undefined ? [] : [`[${note}]`];
  if (kind === "structure") {
    return [
      content,
      `[Structure of ${path} (${totalLines} lines); use read_file to see the lines.]`,
      ...notes,
    ].join("\n");
  }
  if (kind !== "whole" && kind !== "excerpt") return [content, ...notes].join("\n");
  if (omitted === null) {
    return [numberLines(content, { startLine: 1, count: totalLines ?? 1 }), ...notes].join("\n");
  }
  const first = { startLine: 1, count: omitted.startLine - 1 };
  if (omitted.endLine === totalLines) {
    const left = `[Lines ${omitted.startLine}-${omitted.endLine} are left out.]`;
    return [numberLines(content, first), left, ...notes].join("\n");
  }
  const lines = content.split("\n");
  const before = omitted.startLine - 1;
  const head =
    before === 0 ? [] : [numberLines(lines.slice(0, before).join("\n"), { startLine: 1, count: before })];
  const after = (totalLines ?? omitted.endLine) - omitted.endLine;
  const rest = lines.slice(before + 1).join("\n");
  const tail = after === 0 ? [] : [numberLines(rest, { startLine: omitted.endLine + 1, count: after })];
  return [...head, lines[before] ?? "", ...tail, ...notes].join("\n");
}
