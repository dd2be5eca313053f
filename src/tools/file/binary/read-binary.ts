import type { ToolContext } from "../../../contract/context.js";
import type { OpenFile } from "../../../contract/ports/files.js";
import { humanSize } from "../list-directory.js";
import { fill } from "../lines/line-index.js";
import { readLimits } from "../read-limits.js";
import { noLines, type ReadResult } from "../read-result.js";
import { isImage, readImage } from "./read-image.js";
import { readPdf } from "./read-pdf.js";

interface Source {
  readonly path: string;
  readonly ctx: ToolContext;
}

/** Bytes of an image or a document that is read whole. */
const mostBytes = 32 * 1024 * 1024;

/** Say what a file is that is no text; show images and the text of PDFs where that can be done. */
export async function describeBinary(file: OpenFile, head: Uint8Array, source: Source): Promise<ReadResult> {
  const { path, ctx } = source;
  const { mime, ext } = await typeOf(head);
  const { size } = file.stat;
  const plain = { ...noLines, path, size, mimeType: mime };
  if (size <= mostBytes && isImage(mime)) {
    const image = await readImage(readWhole(file), ctx.signal);
    if (typeof image !== "string") {
      const { width, height } = image;
      return { ...plain, content: `${mime}, ${humanSize(size)}, ${width} × ${height} as shown`, image };
    }
    return { ...plain, content: describe(mime, size), note: image };
  }
  if (size <= mostBytes && mime === "application/pdf") {
    const { clock, signal } = ctx;
    const pdf = await readPdf(readWhole(file), { maxChars: readLimits(ctx).maxChars, clock, signal });
    if (typeof pdf !== "string") {
      const note = pdf.truncated ? `The text was cut; the document has ${pdf.pages} pages.` : undefined;
      return { ...plain, content: pdf.text, truncated: pdf.truncated, ...(note && { note }) };
    }
    return { ...plain, content: describe(mime, size), note: pdf };
  }
  const hint = ext === "" ? "" : ` (.${ext})`;
  return { ...plain, content: `${describe(mime, size)}${hint}`, note: NO_TEXT };
}

const NO_TEXT = "No text to show. Its bytes can be read with encoding base64.";

/** A file's bytes in Base64, as many as fit. */
export function readBase64(
  file: OpenFile,
  head: Uint8Array,
  { path, ctx }: Source,
): { value: ReadResult; keep: () => void } {
  const room = Math.max(3, Math.floor(readLimits(ctx).maxChars / 4) * 3);
  const bytes = Buffer.alloc(Math.min(room, Math.max(file.stat.size, head.length)));
  const got = fill(file, bytes, 0);
  const truncated = got < Math.max(file.stat.size, head.length);
  const content = bytes.toString("base64", 0, got);
  const note = truncated ? { note: `The first ${got} of ${file.stat.size} bytes.` } : {};
  const { identity } = file.stat;
  return {
    value: { ...noLines, path, content, size: file.stat.size, encoding: "base64", truncated, ...note },
    // Whoever has all the bytes has seen the file, though it has no lines.
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

function describe(mime: string, size: number): string {
  return `Binary file: ${mime}, ${humanSize(size)}`;
}

function readWhole(file: OpenFile): Uint8Array {
  const bytes = Buffer.alloc(Math.min(file.stat.size, mostBytes));
  return bytes.subarray(0, fill(file, bytes, 0));
}
