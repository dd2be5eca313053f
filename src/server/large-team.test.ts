import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import { createTenon } from "../runtime/create-tenon.js";
import { openState } from "../store/open-state.js";
import { openTestServer, type Reply, type TestServer } from "./testing/open-server.js";

const size = 10_000;
const stateDir = mkdtempSync(join(tmpdir(), "tenon-large-"));
const workspace = mkdtempSync(join(tmpdir(), "tenon-large-"));
let at: TestServer;
let ended: string | undefined;

const patient = defineTool({
  name: "patient",
  description: "Waits to be stopped.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({}),
  execute: (_, { signal }) =>
    new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => {
        ended = (signal.reason as Error).message;
        reject(signal.reason as Error);
      }),
    ),
});

beforeAll(async () => {
  const state = await openState({ stateDir, workspace });
  await state.sql.transaction(async (tx) => {
    for (let each = 0; each < size; each++) {
      const name = `user-${String(each).padStart(5, "0")}`;
      const person =
        "INSERT INTO principals (name, kind, role, created_at) VALUES (?, 'person', 'viewer', ?)";
      await tx.run(person, [name, each]);
      await tx.run(
        "INSERT INTO tokens (id, name, principal, hash, role, created_at) VALUES (?, ?, ?, ?, 'viewer', ?)",
        [`id-${each}`, name, name, `hash-${each}`, each],
      );
    }
  });
  await state.close();
  at = await openTestServer({ tenonOptions: { workspace, config: { stateDir }, tools: [patient] } });
});
afterAll(async () => {
  await at.close();
  for (const folder of [stateDir, workspace]) rmSync(folder, { recursive: true, force: true });
});

/** Page through a list to its end. */
async function readAll(path: string, key: "name" | "id"): Promise<string[]> {
  const found: string[] = [];
  for (let more = true; more;) {
    const last = found.at(-1);
    const { body } = await at.ask(`${path}?limit=500${last === undefined ? "" : `&after=${last}`}`);
    found.push(...body.rows.map((row: Record<string, string>) => row[key]));
    more = body.more;
  }
  return found;
}

describe("a team of ten thousand", () => {
  it("is listed page by page, each once", async () => {
    const names = await readAll("/api/users", "name");
    expect(names).toHaveLength(size);
    expect(new Set(names).size).toBe(size);
    expect(new Set(await readAll("/api/tokens", "id")).size).toBe(size);
    expect((await at.ask("/api/users?text=user-0999")).body).toMatchObject({
      rows: { length: 10 },
      more: false,
    });
    // What has a meaning in patterns is looked for as it is.
    expect((await at.ask("/api/users?text=%25")).body.rows).toEqual([]);
    expect((await at.ask("/api/users?text=user_0999")).body.rows).toEqual([]);
    for (const query of ["limit=0", "limit=501", "limit=x", `text=${"x".repeat(65)}`, "nonsense=1"])
      expect((await at.ask(`/api/users?${query}`)).status).toBe(400);
  });
});

describe("a user who is removed", () => {
  const arrive = async (name: string): Promise<Record<string, string>> => {
    await at.tenon.access.addPrincipal({ name, kind: "person", role: "operator" });
    const { secret } = await at.tenon.access.createToken({ name, principal: name, role: "operator" });
    return { authorization: `Bearer ${secret}` };
  };

  it.each(["over MCP", "over the API"])("has no call running %s, nor any way back", async (way) => {
    ended = undefined;
    const name = way === "over MCP" ? "mia" : "paul";
    const headers = await arrive(name);
    const client = new Client({ name: "host", version: "1" });
    let calling: Promise<unknown>;
    if (way === "over MCP") {
      const address = new URL("/mcp", at.server.url);
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
      calling = client.callTool({ name: "patient", arguments: {} }).catch(() => undefined);
    } else {
      calling = at
        .ask("/api/tools/patient/call", { method: "POST", headers, body: { arguments: {} } })
        .catch((): Reply | undefined => undefined);
    }
    const running = async () => JSON.stringify((await at.ask("/api/calls")).body);
    await expect.poll(running, { timeout: 20_000 }).toContain(`~${name}`);
    // Another process on the same state removes them.
    const other = createTenon({ workspace, config: { stateDir } });
    await other.access.removePrincipal(name);
    await other.close();
    await expect.poll(() => ended, { timeout: 20_000 }).toBeDefined();
    expect((await at.ask("/api/tools", { headers })).status).toBe(401);
    expect((await at.ask("/api/hosts")).body).toEqual([]);
    expect(await at.tenon.access.principal(name)).toBeUndefined();
    await expect(at.tenon.access.addPrincipal({ name, kind: "person", role: "viewer" })).rejects.toThrow(
      "taken",
    );
    await expect(at.tenon.access.changePrincipal(name, { disabled: false })).rejects.toThrow("not found");
    // A host whose answer was cut waits for it until it gives up.
    await client.close().catch(() => undefined);
    await calling;
  });
});
