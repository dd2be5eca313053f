import type { Clock } from "../../../contract/ports/clock.js";
import { loadOptional } from "./optional-package.js";

/** The text of a document, with a line before each page. */
export interface PdfText {
  readonly text: string;
  readonly pages: number;
  readonly truncated: boolean;
}

export interface PdfOptions {
  readonly maxChars: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const timeLimitMs = 15_000;
const maxPages = 500;

/** The part of unpdf that is used here. */
interface Unpdf {
  getDocumentProxy(data: Uint8Array, options: { verbosity: number }): Promise<PdfDocument>;
}

interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<{ getTextContent(): Promise<{ readonly items: readonly unknown[] }> }>;
  destroy?(): unknown;
}

/** Read the text of a PDF; returns a message if that fails. */
export async function readPdf(bytes: Uint8Array, options: PdfOptions): Promise<PdfText | string> {
  const unpdf = await loadOptional<Unpdf>("unpdf");
  if (unpdf === undefined) return 'Install the package "unpdf" to read the text of PDFs.';
  let document: PdfDocument | undefined;
  try {
    // It takes over the buffer, so it gets a copy; its warnings would go to the terminal.
    document = await unpdf.getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    return await readPages(document, options);
  } catch {
    options.signal.throwIfAborted();
    return "The PDF could not be read: it is damaged or password-protected.";
  } finally {
    await document?.destroy?.();
  }
}

async function readPages(document: PdfDocument, { maxChars, clock, signal }: PdfOptions): Promise<PdfText> {
  const deadline = clock.monotonic() + timeLimitMs;
  const pages = document.numPages;
  let text = "";
  for (let number = 1; number <= pages; number += 1) {
    signal.throwIfAborted();
    const late = clock.monotonic() > deadline || number > maxPages;
    const next = late ? undefined : await readPage(document, number);
    const whole = next !== undefined && text.length + next.length <= maxChars;
    if (!whole) {
      const part =
        next === undefined ? "" : next.slice(0, Math.max(0, maxChars - text.length)).toWellFormed();
      return { text: text + part, pages, truncated: true };
    }
    text += next;
  }
  return { text, pages, truncated: false };
}

async function readPage(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  const text = items
    .map((item) => {
      const { str, hasEOL } = Object(item) as { str?: unknown; hasEOL?: unknown };
      return typeof str === "string" ? `${str}${hasEOL === true ? "\n" : ""}` : "";
    })
    .join("");
  return `--- Page ${number} ---\n${text.trimEnd()}\n`;
}
