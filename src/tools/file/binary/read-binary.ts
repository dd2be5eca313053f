import type { ToolContext } from "../../../contract/context.js";
import type { OpenFile } from "../../../contract/ports/files.js";
import { humanSize } from "../list-directory.js";
import { fillBuffer } from "../lines/line-index.js";
import { readLimits } from "../read-limits.js";
import { noLines, type ReadResult } from "../read-result.js";
import { isImage, readImage } from "./read-image.js";
import { readPdf } from "./read-pdf.js";

interface BinarySource {
  readonly path: string;
  readonly ctx: ToolContext;
}

/** Maximum size of an image or document that is read. */
const maxBytes = 32 * 1024 * 1024;

/** Describe a file that is not text; show images and the text of PDFs if possible. */
export async function describeBinary(
  file: OpenFile,
  head: Uint8Array,
  source: BinarySource,
): Promise<ReadResult> {
  const { path, ctx } = source;
  const { mime, ext } = await typeOf(head);
  const { size } = file.stat;
  const plain = { ...noLines, path, size, mimeType: mime };
  if (size <= maxBytes && isImage(mime)) {
    const image = await readImage(readWhole(file), ctx.signal);
    if (typeof image !== "string") {
      const { width, height } = image;
      return { ...plain, content: `${mime}, ${humanSize(size)}, ${width} × ${height} as shown`, image };
    }
    return { ...plain, content: describeType(mime, size), note: image };
  }
  if (size <= maxBytes && mime === "application/pdf") {
    const { clock, signal } = ctx;
    const pdf = await readPdf(readWhole(file), { maxChars: readLimits(ctx).maxChars, clock, signal });
    if (typeof pdf !== "string") {
      const note = pdf.truncated ? `The text was truncated; the document has ${pdf.pages} pages.` : undefined;
      return { ...plain, content: pdf.text, truncated: pdf.truncated, ...(note && { note }) };
    }
    return { ...plain, content: describeType(mime, size), note: pdf };
  }
  const hint = ext === "" ? "" : ` (.${ext})`;
  return { ...plain, content: `${describeType(mime, size)}${hint}`, note: NOT_TEXT_NOTE };
}

const NOT_TEXT_NOTE = "The file is not text. Use encoding base64 to read its bytes.";

/** The bytes of a file in Base64, as many as fit. */
export function readBase64(
  file: OpenFile,
  head: Uint8Array,
  { path, ctx }: BinarySource,
): { value: ReadResult; keep: () => void } {
  const maxRawBytes = Math.max(3, Math.floor(readLimits(ctx).maxChars / 4) * 3);
  const bytes = Buffer.alloc(Math.min(maxRawBytes, Math.max(file.stat.size, head.length)));
  const got = fillBuffer(file, bytes, 0);
  const truncated = got < Math.max(file.stat.size, head.length);
  const content = bytes.toString("base64", 0, got);
  const note = truncated ? { note: `Only the first ${got} of ${file.stat.size} bytes are shown.` } : {};
  const { identity } = file.stat;
  return {
    value: { ...noLines, path, content, size: file.stat.size, encoding: "base64", truncated, ...note },
    // With all bytes returned, the file counts as seen although it has no lines.
    keep: () => {
      if (truncated) return;
      ctx.seen.note(file.path, { identity, start: 1, lines: [content], complete: true, encoding: "base64" });
    },
  };
}

async function typeOf(head: Uint8Array): Promise<{ mime: string; ext: string }> {
  const { fileTypeFromBuffer } = await import("file-type");
  try {
    return (await fileTypeFromBuffer(head)) ?? unknownType;
  } catch {
    return unknownType;
  }
}

const unknownType = { mime: "application/octet-stream", ext: "" };

function describeType(mime: string, size: number): string {
  return `Binary file: ${mime}, ${humanSize(size)}`;
}

function readWhole(file: OpenFile): Uint8Array {
  const bytes = Buffer.alloc(Math.min(file.stat.size, maxBytes));
  return bytes.subarray(0, fillBuffer(file, bytes, 0));
}
