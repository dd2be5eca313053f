import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../contract/ports/clock.js";
import { createPageReader } from "./page-reader.js";
import type { PageLink, PageReader } from "./page-reader.js";

/** A page as Markdown. */
export interface Page {
  readonly title: string;
  readonly content: string;
  readonly links: readonly PageLink[];
  /** There was more than was asked for, or than can be read in time. */
  readonly truncated: boolean;
}

export interface PageOptions {
  /** The address that relative links start from. */
  readonly url: string;
  readonly maxChars: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Turn HTML into Markdown: the main part of the page if it has one, else all of its body. */
export async function toMarkdown(html: string, options: PageOptions): Promise<Page> {
  const focus = focusOf(html);
  const page = await convert(html, focus, options);
  // Some pages mark an empty shell as their main part.
  if (focus === undefined || page.content.length >= SHELL) return page;
  const whole = await convert(html, undefined, options);
  return whole.content.length > page.content.length * 2 ? whole : page;
}

const SHELL = 200;
const MAX_HTML = 2 * 1024 * 1024;
const [FIRST_STEP, LAST_STEP] = [32 * 1024, 256 * 1024];
const MAX_MS = 3000;
const MAX_LINKS = 100;

function focusOf(html: string): string | undefined {
  if (/<main[\s>]|\srole=["']?main\b/i.test(html)) return "main";
  // Several articles are a list of teasers: none of them is the page.
  return html.match(/<article[\s>]/gi)?.length === 1 ? "article" : undefined;
}

/** Goes step by step and lets others run in between; it ends as soon as there is enough. */
async function convert(html: string, focus: string | undefined, options: PageOptions): Promise<Page> {
  const { streamHtmlToMarkdown } = await import("@mdream/js");
  const { clock, signal, maxChars, url } = options;
  const reader = createPageReader({ url, focus, maxLinks: MAX_LINKS });
  const end = clock.monotonic() + MAX_MS;
  let markdown = "";
  let stopped = false;
  const goOn = () => {
    signal.throwIfAborted();
    stopped = markdown.length > maxChars * 2 || clock.monotonic() > end;
    return !stopped;
  };
  const source = steps(html.slice(0, MAX_HTML), goOn);
  const parts = streamHtmlToMarkdown(source, { hooks: [reader.hook], plugins: { tagOverrides } });
  for await (const part of parts) markdown += part;
  return toPage(tidy(markdown), reader, { maxChars, complete: !stopped && html.length <= MAX_HTML });
}

/** Elements that would stay HTML. */
const tagOverrides = { dl: "div", dt: "p", dd: "p", details: "div", summary: "p" };

function steps(html: string, goOn: () => boolean): ReadableStream<string> {
  let [from, step] = [0, FIRST_STEP];
  return new ReadableStream<string>(
    {
      async pull(controller) {
        await setImmediate();
        if (from >= html.length || !goOn()) return controller.close();
        controller.enqueue(html.slice(from, (from += step)));
        // What is left open is read again with the next step, so the steps grow.
        step = Math.min(step * 2, LAST_STEP);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Characters that show nothing can hide text from the person, never from the model. */
function tidy(markdown: string): string {
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

/** The first characters of a text, no character cut in two. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
