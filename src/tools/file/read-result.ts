import * as z from "zod";
import type { ContentPart } from "../../contract/call.js";
import { numberLines } from "./number-lines.js";

/** The input fields for reading a file. */
export const readInput = {
  path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
  encoding: z
    .string()
    .min(1)
    .max(60)
    .default("auto")
    .describe("auto, utf8, ascii, latin1, utf16le, base64 or another encoding name."),
  start_line: lineNumber(
    "First line to read, starting at 1. A negative number counts from the end: -100 reads the last 100 lines.",
  ),
  end_line: lineNumber("Last line to read (inclusive). -1 is the last line of the file."),
  start_char: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      "First character of start_line to read, starting at 1: for lines that are too long to be shown whole.",
    ),
  end_char: z.number().int().min(1).optional().describe("Last character of start_line to read (inclusive)."),
};

function lineNumber(description: string) {
  return z
    .number()
    .int()
    .refine((line) => line !== 0, "lines count from 1, or from the end with -1")
    .optional()
    .describe(description);
}

/** The result of reading a file. */
export const readOutput = z.object({
  path: z.string(),
  content: z.string().describe("The text of the file, or a listing of a directory."),
  size: z.number().describe("Size of the whole file in bytes."),
  encoding: z.string().nullable(),
  language: z.string().nullable(),
  totalLines: z.number().nullable().describe("Number of lines of the whole file; null if it is not known."),
  startLine: z.number(),
  endLine: z.number(),
  isDirectory: z.boolean(),
  recommendRange: z
    .object({ startLine: z.number(), endLine: z.number() })
    .nullable()
    .describe("The range to read next, if not everything fit."),
  truncated: z.boolean().describe("Whether less was returned than requested."),
  startChar: z
    .number()
    .optional()
    .describe("First character of the line that was returned, if not all of it."),
  endChar: z.number().optional().describe("Last character of the line that was returned."),
  lineChars: z.number().optional().describe("Number of characters of the whole line."),
  mimeType: z.string().optional().describe("MIME type of a file that is not text."),
  image: z
    .object({ data: z.string(), mimeType: z.string(), width: z.number(), height: z.number() })
    .optional()
    .describe("The image in Base64, scaled down if it was large."),
  note: z.string().optional().describe("Further remarks."),
});

export type ReadResult = z.infer<typeof readOutput>;

/** The fields of a file or directory without lines. */
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

/** The text for the model: numbered lines, and remarks in brackets. */
export function renderRead(result: ReadResult): string | readonly ContentPart[] {
  const text = [bodyOf(result), ...notesOf(result)].filter((part) => part !== "").join("\n");
  if (result.image === undefined) return text;
  const { data, mimeType } = result.image;
  return [
    { type: "text", text },
    { type: "image", data, mimeType },
  ];
}

function bodyOf({ content, totalLines, startLine, endLine, startChar }: ReadResult): string {
  if (totalLines === null && endLine === 0) return content;
  if (startChar !== undefined) return `${startLine}\t${content}`;
  return numberLines(content, { startLine, count: endLine - startLine + 1 });
}

/** Remarks on a read, in brackets. */
export function notesOf(result: ReadResult): string[] {
  const { totalLines, startLine, endLine, truncated, recommendRange, note, isDirectory } = result;
  const notes: string[] = [];
  if (totalLines === 0 && result.encoding !== null && !isDirectory) notes.push("[The file is empty.]");
  const all = totalLines === null ? "" : ` of ${totalLines}`;
  if (recommendRange !== null) {
    notes.push(
      `[Lines ${startLine}-${endLine}${all}. Continue with start_line ${recommendRange.startLine}.]`,
    );
  } else if (endLine > 0 && (startLine > 1 || endLine < (totalLines ?? endLine) || truncated)) {
    notes.push(`[Lines ${startLine}-${endLine}${all}.]`);
  }
  if (note !== undefined) notes.push(`[${note}]`);
  return notes;
}
