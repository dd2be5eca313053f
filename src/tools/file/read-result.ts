import * as z from "zod";
import type { ContentPart } from "../../contract/call.js";
import { numberLines } from "./number-lines.js";

/** What reading a file takes. */
export const readInput = {
  path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
  encoding: z
    .string()
    .min(1)
    .max(60)
    .default("auto")
    .describe("auto, utf8, ascii, latin1, utf16le, base64 or another name."),
  start_line: z.number().int().min(1).optional().describe("First line to read, from 1."),
  end_line: z.number().int().min(1).optional().describe("Last line to read, included."),
};

/** What reading a file answers with. */
export const readOutput = z.object({
  path: z.string(),
  content: z.string().describe("The text as the file has it; a listing for a directory."),
  size: z.number().describe("Bytes of the whole file."),
  encoding: z.string().nullable(),
  language: z.string().nullable(),
  totalLines: z.number().nullable().describe("Lines of the whole file; null where it has none to count."),
  startLine: z.number(),
  endLine: z.number(),
  isDirectory: z.boolean(),
  recommendRange: z
    .object({ startLine: z.number(), endLine: z.number() })
    .nullable()
    .describe("What to read next, where not all fitted."),
  truncated: z.boolean().describe("More was asked for than fitted."),
  mimeType: z.string().optional().describe("Of a file that is no text."),
  image: z
    .object({ data: z.string(), mimeType: z.string(), width: z.number(), height: z.number() })
    .optional()
    .describe("An image, in Base64, made smaller where it was large."),
  note: z.string().optional().describe("What else there is to know."),
});

export type ReadResult = z.infer<typeof readOutput>;

/** Fields of what has no lines. */
export const noLines = {
  encoding: null,
  language: null,
  totalLines: null,
  startLine: 0,
  endLine: 0,
  isDirectory: false,
  recommendRange: null,
  truncated: false,
} as const;

/** The text for the model: numbered lines, and in brackets what is to be known besides. */
export function renderRead(result: ReadResult): string | readonly ContentPart[] {
  const text = [bodyOf(result), ...notesOf(result)].filter((part) => part !== "").join("\n");
  if (result.image === undefined) return text;
  const { data, mimeType } = result.image;
  return [
    { type: "text", text },
    { type: "image", data, mimeType },
  ];
}

function bodyOf({ content, totalLines, startLine, endLine }: ReadResult): string {
  if (totalLines === null && endLine === 0) return content;
  return numberLines(content, { startLine, count: endLine - startLine + 1 });
}

function notesOf(result: ReadResult): string[] {
  const { totalLines, startLine, endLine, truncated, recommendRange, note, isDirectory } = result;
  const notes: string[] = [];
  if (totalLines === 0 && result.encoding !== null && !isDirectory) notes.push("[The file is empty.]");
  const all = totalLines === null ? "" : ` of ${totalLines}`;
  if (recommendRange !== null) {
    notes.push(`[Lines ${startLine}-${endLine}${all}. Go on with start_line ${recommendRange.startLine}.]`);
  } else if (endLine > 0 && (startLine > 1 || endLine < (totalLines ?? endLine) || truncated)) {
    notes.push(`[Lines ${startLine}-${endLine}${all}.]`);
  }
  if (note !== undefined) notes.push(`[${note}]`);
  return notes;
}
