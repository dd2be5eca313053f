import type { Page } from "playwright-core";
import { chineseWords } from "../../console/src/i18n/chinese-words.js";
import { en } from "../../console/src/i18n/en.js";
import { zh } from "../../console/src/i18n/zh.js";

/** Names that are the same in both languages. */
const sameInBoth = new Set(["Tenon", "MCP", "ID", "p50", "p95", "p99", "JSON", "URL", "EN", "A/B"]);

/** Texts of the page itself that are English on a page in Chinese: words of states and kinds, and texts of the dictionary. */
export async function englishIn(page: Page): Promise<readonly string[]> {
  const words = new Set(Object.keys(chineseWords).filter((word) => /^[a-z][a-z_-]{2,}$/.test(word)));
  const texts = new Set<string>(
    (Object.keys(en) as (keyof typeof en)[])
      .filter((key) => en[key] !== zh[key] && !/\{\w+\}/.test(en[key]))
      .map((key) => en[key]),
  );
  const shown = (await page.evaluate(`(() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      // Code, and what is set like code, are data.
      if (parent === null || parent.closest("code, pre, script, style, .font-mono, canvas") !== null) continue;
      found.push(node.data.trim());
    }
    for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]")) {
      if (element.closest("code, pre, .font-mono") !== null) continue;
      for (const name of ["aria-label", "placeholder", "title"]) found.push(element.getAttribute(name)?.trim() ?? "");
    }
    return [...new Set(found)];
  })()`)) as readonly string[];
  return shown.filter(
    (text) =>
      !sameInBoth.has(text) && (words.has(text) || texts.has(text) || /\d (?:ms|s|min|h)$/.test(text)),
  );
}
