import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../cli/main.js";
import { runTenon, silentTerminal } from "../cli/testing/run-tenon.js";
import { roles, type Role } from "../contract/ports/access.js";
import { answeredMethods } from "../mcp/server/answer-requests.js";
import { roleFor } from "./route-roles.js";
import { openTestServer, type Reply, type TestServer } from "./testing/open-server.js";

const guide = readFileSync(resolve(import.meta.dirname, "../../docs/guide/team.md"), "utf8");
const tokens = new Map<Role, string>();
let at: TestServer;

beforeAll(async () => {
  at = await openTestServer({ tenonOptions: { config: { mode: "auto" } } });
  for (const role of roles) {
    await at.tenon.access.addPrincipal({ name: role, kind: "person", role });
    tokens.set(role, (await at.tenon.access.createToken({ name: role, principal: role, role })).secret);
  }
});
afterAll(() => at.close());

/** The rows of a table of the guide that start with one of these. */
function rowsOf(pattern: RegExp): string[][] {
  return guide
    .split("\n")
    .filter((line) => pattern.test(line))
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", ""))
        .slice(1, -1),
    );
}

describe("MCP methods", () => {
  const listed = rowsOf(/^\| `(?:[a-z]+\/[\w/]+|ping|initialize)`/);
  const arguments_: Readonly<Record<string, object>> = {
    initialize: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    "tools/call": { name: "current_time", arguments: {} },
    "resources/read": { uri: "tenon://none" },
    "resources/subscribe": { uri: "tenon://none" },
    "resources/unsubscribe": { uri: "tenon://none" },
    "prompts/get": { name: "none" },
    "completion/complete": { ref: { type: "ref/prompt", name: "none" }, argument: { name: "a", value: "" } },
    "logging/setLevel": { level: "info" },
  };
  const ask = (role: Role, message: object, session?: string): Promise<Reply> =>
    at.ask("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${tokens.get(role)}`,
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        ...(session !== undefined && { "mcp-session-id": session }),
      },
      body: { jsonrpc: "2.0", ...message },
    });
  const open = async (role: Role): Promise<string> => {
    const { headers } = await ask(role, { id: 0, method: "initialize", params: arguments_["initialize"] });
    const session = String(headers["mcp-session-id"]);
    await ask(role, { method: "notifications/initialized" }, session);
    return session;
  };

  it("are all in the table", () => {
    expect(answeredMethods.length).toBeGreaterThan(10);
    const names = new Set(listed.map(([method]) => method));
    expect(answeredMethods.filter((method) => !names.has(method))).toEqual([]);
  });

  it.each(roles)("open exactly what the table says to: %s", async (role) => {
    const session = await open(role);
    for (const [method = "", needed] of listed) {
      expect(needed).toBe("viewer");
      if (method === "initialize") continue;
      const params = arguments_[method] ?? {};
      const { status, text } = await ask(role, { id: method, method, params }, session);
      expect({ method, status, refused: /ROLE_NEEDED|may not|needs the role/.test(text) }).toEqual({
        method,
        status: 200,
        refused: false,
      });
    }
    const write = { name: "write_file", arguments: { path: `${role}.txt`, content: "x" } };
    const { text } = await ask(role, { id: "write", method: "tools/call", params: write }, session);
    expect(text.includes("ACCESS_DENIED") || text.includes("may only read")).toBe(role === "viewer");
    expect(readdirSync(at.workspace).includes(`${role}.txt`)).toBe(role !== "viewer");
  });
});

describe("commands", () => {
  const listed = rowsOf(/^\| `tenon /);

  it("are all in the table, with the role that the same needs over HTTP", () => {
    const names: string[] = [];
    const walk = (command: Command, path: readonly string[]): void => {
      // Some both do something themselves and have further commands.
      const acts = (command as unknown as { readonly _actionHandler: unknown })._actionHandler;
      if (acts !== null && acts !== undefined) names.push(path.join(" "));
      for (const each of command.commands) walk(each, [...path, each.name()]);
    };
    walk(createProgram(silentTerminal(at.workspace)), ["tenon"]);
    expect(names.length).toBeGreaterThan(70);
    expect(new Set(listed.map(([command]) => command))).toEqual(new Set(names));
    for (const [command, route = "", role] of listed) {
      const [method = "", path = ""] = route.split(" ");
      const needed = path.startsWith("/") ? roleFor(method, path) : "admin";
      expect(`${command}: ${role}`).toBe(`${command}: ${needed}`);
    }
  });

  it("make nobody less than the person on the machine, whatever token is in the environment", async () => {
    const { stateDir = "" } = at.tenon.config;
    for (const role of roles) {
      const env = { TENON_STATE_DIR: stateDir, TENON_TOKEN: tokens.get(role) ?? "" };
      const run = (...args: string[]) => runTenon(args, { cwd: at.workspace, env });
      expect(JSON.parse((await run("users", "list", "--json")).out)).toHaveLength(4);
      expect((await run("policy", "explain", "write_file", "path=a", "content=x")).out).toMatch(
        /^(?:ask|allow)/,
      );
    }
  });
});
