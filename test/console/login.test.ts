import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openProvider, type TestProvider } from "../../src/server/testing/open-provider.js";
import { openBrowser, openFixture, type Fixture } from "./console-fixture.js";

let browser: Browser;
let provider: TestProvider;
let fixture: Fixture;

beforeAll(async () => {
  provider = await openProvider();
  provider.groups.set("alice", ["leads"]);
  const oidc = { issuer: provider.issuer, clientId: "tenon", groups: { leads: "admin" } };
  [browser, fixture] = await Promise.all([openBrowser(), openFixture({ auth: { oidc } })]);
  provider.clients.add({
    client_id: "tenon",
    token_endpoint_auth_method: "none",
    redirect_uris: [`${fixture.url}/login-return`],
    post_logout_redirect_uris: [`${fixture.url}/`],
  });
});
afterAll(async () => {
  await browser?.close();
  await fixture?.close();
  await provider?.close();
});

it("signs in with the provider, comes back to the page that was asked for, and signs out at both", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${fixture.url}/#/log`);
  await page.getByRole("link", { name: "Sign in with your account" }).click();
  await page.locator("input[name=person]").fill("alice");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Log" }).waitFor();
  expect(page.url()).toBe(`${fixture.url}/#/log`);
  await page.locator('[data-connection="open"]').waitFor();
  const sessions = (await fixture.api("GET", "/api/sessions")) as { user?: string }[];
  expect(sessions).toMatchObject([{ user: "alice" }]);
  // A second tab and a reload go on with the same session.
  const second = await context.newPage();
  await second.goto(`${fixture.url}/#/tools`);
  await second.locator('[data-connection="open"]').waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${provider.issuer}/**`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Sign in with your account" }).waitFor();
  expect(new URL(page.url()).origin).toBe(fixture.url);
  await second.getByRole("link", { name: "Sign in with your account" }).waitFor();
  expect(await fixture.api("GET", "/api/sessions")).toEqual([]);
  // The provider has forgotten the person too: it asks again.
  await page.getByRole("link", { name: "Sign in with your account" }).click();
  await page.locator("input[name=person]").waitFor();
});
