import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HeldItem } from "../contract/ports/quarantine.js";
import { openTestServer, type TestServer } from "./testing/open-server.js";

let at: TestServer;
let stateDir: string;
beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), "tenon-quarantine-state-"));
  const sandbox = { layers: { enabled: false } };
  at = await openTestServer({ tenonOptions: { config: { mode: "auto", stateDir, sandbox } } });
});
afterAll(async () => {
  await at.close();
  rmSync(stateDir, { recursive: true, force: true });
});

describe("held back changes over the API", () => {
  it("are listed, shown, restored and discarded", async () => {
    const command = `python3 -c 'open(".npmrc","w").write("a"); open(".envrc","w").write("x")'`;
    const { callId } = await at.tenon.call({ name: "shell_exec", arguments: { command } });
    const items = (await at.ask(`/api/quarantine?callId=${callId}`)).body as HeldItem[];
    expect(items).toHaveLength(2);
    const npmrc = items.find(({ path }) => path.endsWith(".npmrc"))!;
    expect((await at.ask(`/api/quarantine/${npmrc.id}`)).body).toMatchObject({
      text: "a",
      shownPath: ".npmrc",
    });
    expect((await at.post("/api/quarantine/restore", { ids: [npmrc.id] })).status).toBe(200);
    expect(existsSync(join(at.workspace, ".npmrc"))).toBe(true);
    expect((await at.post("/api/quarantine/restore", { ids: [npmrc.id] })).status).toBe(404);
    expect((await at.post("/api/quarantine/restore", { ids: ["../x"] })).status).toBe(400);
    const rest = items.filter((item) => item !== npmrc).map(({ id }) => id);
    expect((await at.post("/api/quarantine/discard", { ids: rest })).status).toBe(200);
    expect((await at.ask("/api/quarantine")).body).toEqual([]);
    const acts = await at.tenon.audit.search({ tool: "quarantine_*" });
    expect(acts.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
      "quarantine_discard success",
      "quarantine_restore failure",
      "quarantine_restore success",
    ]);
  });
});
