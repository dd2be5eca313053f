import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenon } from "../src/runtime/create-tenon.js";
import { startLoginServer } from "./mcp-login-server.js";

describe("a login at a remote MCP server", () => {
  let folder: string;
  let remote: Awaited<ReturnType<typeof startLoginServer>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tenon-login-"));
    remote = await startLoginServer();
  });
  afterAll(() => {
    remote.server.closeAllConnections();
    remote.server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is asked for, made once by a person, kept privately and used from then on", async () => {
    const open = () =>
      createTenon({
        workspace: folder,
        config: { stateDir: join(folder, "state"), mcpServers: { locked: { url: remote.url } } },
        interact: { approve: async () => ({ verdict: "once" }) } as never,
        jobs: false,
      });
    const tenon = open();
    const refused = await tenon.call({ name: "locked:peek" });
    expect(refused).toFailWith("LOGIN_NEEDED", { type: "ToolUnavailableError" });
    expect(refused.error?.hint).toContain("tenon mcp-servers login locked");
    const visits: Promise<unknown>[] = [];
    await tenon.mcp.login("locked", {
      signal: AbortSignal.timeout(20_000),
      onLogin: (url) => visits.push(fetch(url)),
    });
    await Promise.all(visits);
    await tenon.mcp.restart("locked");
    expect(await tenon.call({ name: "locked:peek" })).toSucceedWith("inside");
    await tenon.close();
    const file = join(folder, "state/mcp-logins/locked.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain("s3cret-token-value");
    const later = open();
    expect(await later.call({ name: "locked:peek" })).toSucceedWith("inside");
    expect(JSON.stringify(later.mcp.servers())).not.toContain("s3cret-token-value");
    expect(await later.mcp.logout("locked")).toBe(true);
    await later.close();
  });
});
