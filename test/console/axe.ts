import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What would keep somebody with a keyboard or a screen reader out of a page. */
export async function faultsOf(
  page: Page,
  { only, within }: { readonly only?: readonly string[]; readonly within?: string } = {},
): Promise<unknown> {
  // Pages change without reloading, so it mostly is there already.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const options = { resultTypes: ["violations"], ...(only === undefined ? {} : { runOnly: only }) };
  return page.evaluate(`axe.run(${within === undefined ? "document" : JSON.stringify(within)}, ${JSON.stringify(options)}).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))].join(" ")))`);
}
