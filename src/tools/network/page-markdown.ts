import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../contract/ports/clock.js";
import { createPageReader, type PageLink, type PageReader } from "./page-reader.js";

export interface Page {
  readonly title: string;
  readonly content: string;
  readonly links: readonly PageLink[];
  /** Whether there is more than requested, or than could be converted in time. */
  readonly truncated: boolean;
}

export interface PageOptions {
  /** The base URL of relative links. */
  readonly url: string;
  readonly maxChars: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Convert HTML to Markdown: the main element of the page if it has one, else the whole body. */
export async function toMarkdown(html: string, options: PageOptions): Promise<Page> {
  const focus = mainElementOf(html);
  const page = await convertHtml(html, focus, options);
  // Some pages mark a nearly empty element as the main one.
  if (focus === undefined || page.content.length >= MIN_MAIN_CHARS) return page;
  const whole = await convertHtml(html, undefined, options);
  return whole.content.length > page.content.length * 2 ? whole : page;
}

const MIN_MAIN_CHARS = 200;
const MAX_HTML = 2 * 1024 * 1024;
const [FIRST_STEP, LAST_STEP] = [32 * 1024, 256 * 1024];
const MAX_MS = 3000;
const MAX_LINKS = 100;

function mainElementOf(html: string): string | undefined {
  if (/<main[\s>]|\srole=["']?main\b/i.test(html)) return "main";
  // Several articles are a list of teasers: none of them is the content of the page.
  return html.match(/<article[\s>]/gi)?.length === 1 ? "article" : undefined;
}

/** Converts in steps so that the event loop stays free, and stops as soon as there is enough. */
async function convertHtml(html: string, focus: string | undefined, options: PageOptions): Promise<Page> {
  const { streamHtmlToMarkdown } = await import("@mdream/js");
  const { clock, signal, maxChars, url } = options;
  const reader = createPageReader({ url, focus, maxLinks: MAX_LINKS });
  const end = clock.monotonic() + MAX_MS;
  let markdown = "";
  let stopped = false;
  const shouldContinue = () => {
    signal.throwIfAborted();
    stopped = markdown.length > maxChars * 2 || clock.monotonic() > end;
    return !stopped;
  };
  const source = htmlSteps(html.slice(0, MAX_HTML), shouldContinue);
  const parts = streamHtmlToMarkdown(source, { hooks: [reader.hook], plugins: { tagOverrides } });
  for await (const part of parts) markdown += part;
  return toPage(removeInvisible(markdown), reader, {
    maxChars,
    complete: !stopped && html.length <= MAX_HTML,
  });
}

/** Elements that would otherwise stay HTML. */
const tagOverrides = { dl: "div", dt: "p", dd: "p", details: "div", summary: "p" };

function htmlSteps(html: string, shouldContinue: () => boolean): ReadableStream<string> {
  let [from, step] = [0, FIRST_STEP];
  return new ReadableStream<string>(
    {
      async pull(controller) {
        await setImmediate();
        if (from >= html.length || !shouldContinue()) return controller.close();
        controller.enqueue(html.slice(from, (from += step)));
        // An element that is still open is parsed again with the next step, so the steps grow.
        step = Math.min(step * 2, LAST_STEP);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Remove invisible characters, which could hide text from people but not from the model. */
function removeInvisible(markdown: string): string {
  return markdown
    .replace(/[\u{E0000}-\u{E007F}\u200B\u2060-\u2064\u202A-\u202E\u2066-\u2069\uFEFF\u00AD]/gu, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function toPage(markdown: string, reader: PageReader, limit: { maxChars: number; complete: boolean }): Page {
  const content = cutText(markdown, limit.maxChars);
  const truncated = !limit.complete || content.length < markdown.length;
  return { title: reader.title(), content, links: reader.links(), truncated };
}

/** The first characters of a text, without splitting a surrogate pair. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
