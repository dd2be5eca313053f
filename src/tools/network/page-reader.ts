import type { ElementNode, TextNode, TransformPlugin } from "@mdream/js";

export interface PageLink {
  readonly text: string;
  readonly url: string;
}

/** Observes a conversion: drops elements that are not content, makes links absolute, collects title and links. */
export interface PageReader {
  readonly hook: TransformPlugin;
  title(): string;
  links(): readonly PageLink[];
}

export interface PageReaderOptions {
  readonly url: string;
  /** The element with the content, if the page has one: everything outside of it is dropped. */
  readonly focus: string | undefined;
  readonly maxLinks: number;
}

export function createPageReader({ url, focus, maxLinks }: PageReaderOptions): PageReader {
  const links = createLinkList(maxLinks);
  const scope = createScope(focus);
  let [base, title, heading] = [url, "", ""];
  const hook: TransformPlugin = {
    excludesOverflowSubtree: scope.enter,
    processAttributes(node) {
      if (node.name === "base") base = toAbsoluteUrl(node.attributes["href"], base) ?? base;
      if (node.name === "a")
        setOrDelete(node.attributes, "href", toAbsoluteUrl(node.attributes["href"], base));
      if (node.name === "img")
        setOrDelete(node.attributes, "src", toAbsoluteUrl(node.attributes["src"], base));
    },
    beforeNodeProcess({ node, type }) {
      if (node.type === ELEMENT) {
        const element = node as ElementNode;
        const dropped = type === ENTER ? scope.enter(element) : scope.dropped(element);
        return { skip: dropped || !scope.holds(element) };
      }
      const { parent } = node;
      const isTitle = parent?.name === "title";
      if (isTitle && parent.parent?.name !== "svg") title ||= (node as TextNode).value;
      return { skip: isTitle || scope.dropped(parent) || !scope.holds(parent) };
    },
    onNodeEnter: links.enter,
    onNodeExit: links.exit,
    processTextNode(node) {
      links.add(node.value);
      if (heading === "" && node.parent?.name === "h1") heading = node.value;
      return undefined;
    },
  };
  return { hook, title: () => oneLine(title || heading), links: links.list };
}

interface Scope {
  /** Enter an element; `true` if it is dropped with everything below it. */
  readonly enter: (node: ElementNode) => boolean;
  readonly dropped: (node: object | null | undefined) => boolean;
  /** Whether it is inside the element with the content. */
  readonly holds: (node: object | null | undefined) => boolean;
}

function createScope(focus: string | undefined): Scope {
  const [droppedNodes, focused] = [new WeakSet<object>(), new WeakSet<object>()];
  const has = (set: WeakSet<object>, node: object | null | undefined) =>
    node !== null && node !== undefined && set.has(node);
  return {
    enter(node) {
      const inFocus = has(focused, node.parent) || (focus !== undefined && isFocus(node, focus));
      if (inFocus) focused.add(node);
      if (!has(droppedNodes, node.parent) && !isDropped(node, inFocus)) return false;
      droppedNodes.add(node);
      return true;
    },
    dropped: (node) => has(droppedNodes, node),
    holds: (node) => focus === undefined || has(focused, node),
  };
}

interface LinkList {
  readonly enter: (node: ElementNode) => undefined;
  readonly exit: (node: ElementNode) => undefined;
  readonly add: (text: string) => void;
  readonly list: () => readonly PageLink[];
}

function createLinkList(maxLinks: number): LinkList {
  const links = new Map<string, { text: string }>();
  let open: { readonly node: ElementNode; readonly entry: { text: string } } | undefined;
  return {
    enter(node) {
      const href = node.name === "a" ? node.attributes["href"] : undefined;
      if (href === undefined || (links.size >= maxLinks && !links.has(href))) return;
      const entry = links.get(href) ?? { text: "" };
      links.set(href, entry);
      if (entry.text === "") open = { node, entry };
    },
    exit(node) {
      if (open?.node === node) open = undefined;
    },
    add(text) {
      if (open !== undefined && open.entry.text.length < MAX_TEXT) open.entry.text += text;
    },
    list: () => [...links].map(([url, { text }]) => ({ text: oneLine(text), url })),
  };
}

const ELEMENT = 1;
const ENTER = 0;
const MAX_TEXT = 300;

function isFocus(node: ElementNode, focus: string): boolean {
  return node.name === focus || (focus === "main" && node.attributes["role"] === "main");
}

/** Whether an element is invisible on the page or not part of its content. */
function isDropped(node: ElementNode, inFocus: boolean): boolean {
  const { attributes } = node;
  if (droppedElements.has(node.name) || (!inFocus && surroundingElements.has(node.name))) return true;
  if (node.name === "img") return (attributes["alt"] ?? "").trim() === "" || attributes["src"] === undefined;
  if (attributes["hidden"] !== undefined || attributes["aria-hidden"] === "true") return true;
  if (attributes["role"] === "navigation") return true;
  const { style } = attributes;
  return (
    style !== undefined &&
    /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px)?\s*(?:;|$)/i.test(
      style.slice(0, 2000),
    )
  );
}

const droppedElements: ReadonlySet<string> = new Set(
  (
    "script style noscript template nav svg math iframe object embed canvas audio video " +
    "button input select textarea dialog map frameset"
  ).split(" "),
);

/** Dropped unless they are inside the element with the content. */
const surroundingElements: ReadonlySet<string> = new Set(["footer", "aside"]);

function toAbsoluteUrl(href: string | undefined, base: string): string | undefined {
  if (href === undefined || href.length > 4096 || !URL.canParse(href.trim(), base)) return undefined;
  const url = new URL(href.trim(), base);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
}

function setOrDelete(attributes: Record<string, string>, name: string, value: string | undefined): void {
  if (value === undefined) delete attributes[name];
  else attributes[name] = value;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_TEXT);
}
