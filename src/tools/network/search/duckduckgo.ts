import type { ElementNode, NodeEvent } from "@mdream/js";
import { ToolUnavailableError } from "../../../contract/errors.js";
import { askText, endpoint } from "./ask.js";
import type { SearchProvider } from "./provider.js";
import { toResults, type RawResult } from "./to-results.js";

const address = "https://html.duckduckgo.com/html/";

/** DuckDuckGo's HTML page for browsers without scripts, because it has no search API. */
export const duckduckgo: SearchProvider = {
  name: "duckduckgo",
  address,
  note: "Results are read from DuckDuckGo's HTML page, which may change or refuse requests at any time.",
  async search(query) {
    const url = endpoint(address, query.settings.url);
    url.searchParams.set("q", query.query);
    const html = await askText(
      { url: url.href, headers: { accept: "text/html" } },
      { name: "duckduckgo", query },
    );
    const found = await readResults(html);
    if (found.length === 0 && /anomaly|challenge-form|g-recaptcha/i.test(html)) throw challengeError();
    return toResults(found, query.limit);
  },
};

async function readResults(html: string): Promise<readonly RawResult[]> {
  const { parseHtml } = await import("@mdream/js/parse");
  const found: { title: string; url: string; snippet: string }[] = [];
  let open: { readonly node: ElementNode; readonly field: "title" | "snippet" } | undefined;
  for (const { type, node } of parseHtml(html).events) {
    const element = asElement({ type, node });
    if (element !== undefined && type === ENTER) {
      const field = fieldOf(element);
      if (field === undefined) continue;
      if (field === "title")
        found.push({ title: "", url: targetOf(element.attributes["href"]), snippet: "" });
      open = { node: element, field };
    } else if (element !== undefined) {
      if (element === open?.node) open = undefined;
    } else if (open !== undefined && type === ENTER) {
      const last = found.at(-1);
      if (last !== undefined) last[open.field] += (node as { value?: string }).value ?? "";
    }
  }
  return found;
}

const ENTER = 0;
const ELEMENT = 1;

function asElement({ node }: NodeEvent): ElementNode | undefined {
  return node.type === ELEMENT ? (node as ElementNode) : undefined;
}

function fieldOf({ attributes }: ElementNode): "title" | "snippet" | undefined {
  const classes = (attributes["class"] ?? "").split(/\s+/);
  if (classes.includes("result__a")) return "title";
  return classes.includes("result__snippet") ? "snippet" : undefined;
}

/** Result links are redirects that contain the real URL; links of advertisements do not. */
function targetOf(href = ""): string {
  if (!URL.canParse(href, "https://duckduckgo.com")) return "";
  const url = new URL(href, "https://duckduckgo.com");
  if (!url.hostname.endsWith("duckduckgo.com")) return url.href;
  return url.pathname === "/l/" ? (url.searchParams.get("uddg") ?? "") : "";
}

function challengeError(): ToolUnavailableError {
  return new ToolUnavailableError(
    "duckduckgo asked for proof that a person is searching and returned no results.",
    {
      code: "SERVICE_UNAVAILABLE",
      hint: "Wait, or set tools.webSearch.provider to one with a key, such as tavily or brave.",
      details: { provider: "duckduckgo" },
    },
  );
}
