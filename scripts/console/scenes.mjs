// What each picture of the console shows: its address, and what is done there first.
const button = (page, name) => page.getByRole("button", { name }).first();

/** @type {Record<string, { path: (ids: Record<string, string>) => string, act?: (page: import("playwright-core").Page) => Promise<void>, dark?: boolean, phone?: boolean }>} */
export const scenes = {
  live: { path: () => "live" },
  "live-dark": { path: () => "live", dark: true },
  "live-phone": { path: () => "live", phone: true },
  approvals: { path: () => "approvals" },
  "approvals-edit": {
    path: () => "approvals",
    async act(page) {
      await button(page, /^(Edit|编辑)/).click();
      const field = page.locator("main textarea").first();
      await field.waitFor();
      await field.fill((await field.inputValue()).replace("apples first", "pears last"));
    },
  },
  jobs: { path: () => "jobs" },
  network: { path: () => "network" },
  trace: { path: ({ chain }) => `trace/spring-survey?by=task&call=${chain}` },
  log: { path: ({ command }) => `log/${command}?q=task%3Abuild` },
  changes: {
    path: () => "changes?task=sum-by-year",
    act: (page) => button(page, /^(Show diff|显示差异).*src\/harvest\.ts$/).click(),
  },
  layers: { path: ({ dryRun }) => `changes/${dryRun}` },
  metrics: { path: () => "metrics?minutes=15" },
  plan: { path: () => "plan?tab=board" },
  memory: { path: () => "plan?tab=memory" },
  tools: {
    path: () => "tools/shell_exec",
    async act(page) {
      await page.getByRole("textbox", { name: /^command/ }).fill("npm test");
      const env = page.getByRole("group", { name: /^env/ });
      await env.getByRole("button", { name: /^(Add|添加)$/ }).click();
      await env.getByLabel(/^env.*1$/).fill("NODE_ENV");
      await env.getByLabel(/NODE_ENV 的值|Value of NODE_ENV/).fill("test");
    },
  },
  mcp: { path: () => "mcp" },
  policy: { path: ({ denied }) => `policy?from=${denied}` },
  system: { path: () => "system" },
  people: { path: () => "people" },
  tokens: { path: () => "tokens" },
  secrets: { path: () => "secrets" },
  endpoints: { path: () => "endpoints/review" },
  sessions: { path: () => "sessions" },
};
