// Dialogs, opened forms and answers of the console, to be looked at beside the pages; in both languages.
const any = (role) => (page, name) => page.getByRole(role, { name }).first();
const button = any("button");
const tab = any("tab");
const click = (name) => (page) => button(page, name).click();
const press = (key) => (page) => page.keyboard.press(key);

/** @type {Record<string, { path: (ids: Record<string, string>) => string, act?: (page: import("playwright-core").Page) => Promise<unknown> }>} */
export const states = {
  palette: {
    path: () => "live",
    async act(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.type("re");
    },
  },
  keys: { path: () => "log", act: press("?") },
  "live-detail": {
    path: () => "live",
    act: (page) => page.locator("[data-call]", { hasText: "shell_exec" }).first().click(),
  },
  "live-none": { path: () => "live?q=zzzz" },
  "approvals-keys": { path: () => "approvals", act: press("?") },
  "approvals-edit-open": { path: () => "approvals", act: click(/^(Edit|编辑)/) },
  "approvals-refuse": { path: () => "approvals", act: click(/^(No\b|拒绝)/) },
  "approvals-question": {
    path: () => "approvals",
    act: (page) => page.getByRole("option", { name: /ask_user/ }).click(),
  },
  "approvals-gone": { path: () => "approvals/nothing" },
  "trace-list": { path: () => "trace" },
  "trace-sessions": { path: () => "trace?by=session" },
  "trace-image": { path: ({ image }) => `trace/pictures?by=task&call=${image}` },
  "trace-denied": { path: ({ denied }) => `trace/build?by=task&call=${denied}` },
  "trace-unknown": { path: () => "trace/nothing" },
  "log-all": { path: () => "log" },
  "log-problems": { path: () => "log?q=tol%3Aread_file+since%3Ayesterday+outcome%3Amaybe" },
  "log-verify": { path: () => "log", act: click(/^(Verify|校验)/) },
  "log-large": { path: ({ large }) => `log/${large}`, act: click(/^(Read all|阅读全文)/) },
  "log-compare": { path: ({ edit, failed }) => `log/${edit}?compare=${failed}` },
  "log-undo": { path: ({ edit }) => `log/${edit}`, act: click(/^(Undo its changes|撤销其更改)/) },
  "log-held": { path: ({ heldBack }) => `log/${heldBack}` },
  "log-unknown": { path: () => "log/call_nothing" },
  "changes-all": { path: () => "changes" },
  "changes-undo": { path: () => "changes", act: click(/^(Undo the change to|撤销对)/) },
  "metrics-day": { path: () => "metrics?minutes=1440" },
  "plan-list": { path: () => "plan" },
  "plan-artifacts": {
    path: () => "plan?tab=artifacts",
    act: async (page) => {
      await page
        .getByText(/prd|需求文档/)
        .first()
        .click();
      await page.locator("main select").last().selectOption({ index: 1 });
    },
  },
  "memory-edit": { path: () => "plan?tab=memory", act: click(/^(Edit|编辑)/) },
  "memory-forget": { path: () => "plan?tab=memory", act: click(/^(Forget|删除记忆)/) },
  "tools-list": { path: () => "tools" },
  "tools-schema": { path: () => "tools/edit_file", act: (page) => tab(page, /Schema|参数结构/).click() },
  "tools-facts": { path: () => "tools/read_file", act: (page) => tab(page, /history|历史/).click() },
  "tools-held": { path: () => "tools/tiny:greet" },
  "tools-result": {
    path: () => "tools/read_file?from=",
    async act(page) {
      await page.getByRole("textbox", { name: /^path/ }).first().fill("README.md");
      await button(page, /^(Run|运行)$/).click();
      await page.getByRole("region", { name: /Result of the call|调用结果/ }).waitFor();
    },
  },
  "mcp-add": { path: () => "mcp", act: (page) => page.locator("main summary").first().click() },
  "mcp-one": { path: () => "mcp/everything" },
  "mcp-log": {
    path: () => "mcp/broken",
    act: (page) => button(page.locator('[data-server="broken"]'), /Show log|查看日志/).click(),
  },
  "mcp-resource": {
    path: () => "mcp/tiny",
    act: (page) => button(page.locator('[data-server="tiny"]'), /^(Read|读取)/).click(),
  },
  "policy-explain": {
    path: () => "policy",
    async act(page) {
      const box = page.getByRole("region", { name: /What would happen|策略试算/ }).first();
      await box.getByRole("combobox").fill("shell_exec");
      await box.getByRole("textbox").last().fill('{ "command": "git push && ls" }');
      await box.getByRole("button", { name: /^(Explain|试算)$/ }).click();
    },
  },
  "policy-simulate": { path: ({ denied }) => `policy?from=${denied}`, act: click(/^(Try on past|用历史)/) },
  "people-remove": { path: () => "people", act: click(/^(Remove|移除)/) },
  "tokens-revoke": { path: () => "tokens", act: click(/^(Revoke|吊销)/) },
  "secrets-remove": { path: () => "secrets", act: click(/^(Remove|移除)/) },
  "sessions-end": { path: () => "sessions", act: click(/^(End|结束)/) },
  "sessions-browsers": { path: () => "sessions", act: (page) => tab(page, /Browsers|浏览器/).click() },
  "sessions-limits": { path: () => "sessions", act: (page) => tab(page, /Limits|限额/).click() },
  "unknown-page": { path: () => "nonsense" },
};
