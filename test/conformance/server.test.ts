import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openNameProxy, type NameProxy } from "./name-proxy.js";
import { runSuite } from "./run-suite.js";
import { openSdkServer } from "./sdk-server.js";
import { ServerNames } from "./server-names.js";
import { openStdioBridge } from "./stdio-bridge.js";
import { openHome, startServe, tenonProgram, type TenonServe } from "./tenon-serve.js";

const revisions = ["2025-11-25", "2026-07-28"] as const;
type Revision = (typeof revisions)[number];
/** Required scenarios of each. */
const required = { "2025-11-25": 30, "2026-07-28": 37 } as const;
const inBoth = async (work: (revision: Revision) => Promise<void>): Promise<void> =>
  void (await Promise.all(revisions.map(work)));

/** A server that is not Tenon; `TENON_REFERENCE_SERVER` is the address of another one, such as the suite's own. */
let reference: { readonly url: string; close(): Promise<void> };
beforeAll(async () => {
  const url = process.env["TENON_REFERENCE_SERVER"];
  reference = url === undefined ? await openSdkServer() : { url, close: async () => {} };
});
afterAll(() => reference?.close());

/** Tools come from a plugin; prompts, resources and changes of lists, which plugins do not have, from a server. */
const withPlugin = () => ({
  plugins: [{ path: join(import.meta.dirname, "fixture-plugin.ts"), inProcess: true }],
  policy: { rules: [{ decision: "allow", tool: "*" }] },
  mcpServers: { ref: { url: reference.url, include: ["test_trigger_*", "json_schema_*"] } },
});
const pluginNames = new ServerNames("ref", (name) =>
  /^(?:test_trigger_|json_schema_|test_.*_prompt|test_prompt_)/.test(name),
);

describe("tenon serve", () => {
  let serve: TenonServe;
  let proxy: NameProxy;
  beforeAll(async () => {
    serve = await startServe(withPlugin());
    proxy = await openNameProxy(serve, pluginNames);
  });
  afterAll(async () => {
    await proxy?.close();
    await serve?.close();
  });

  it("conforms to both eras", async () => {
    await inBoth(async (revision) => {
      const { conforms, passed, output } = await runSuite(proxy.url, revision);
      expect(conforms, output.slice(-6000)).toBe(true);
      // So that a suite that ran nothing is no success.
      expect(passed.length).toBeGreaterThanOrEqual(required[revision]);
    });
  });
});

describe("tenon mcp", () => {
  /** About HTTP, which this is not. */
  const aboutHttp = new Set(["dns-rebinding-protection", "server-sse-multiple-streams", "server-stateless"]);

  it("conforms to both eras", async () => {
    const home = openHome(withPlugin());
    const command = [process.execPath, tenonProgram, "mcp", ...home.args];
    const bridge = await openStdioBridge(command, home.env, pluginNames);
    const conform = async (revision: Revision): Promise<void> => {
      const { passed, output } = await runSuite(bridge.url, revision);
      const wanted = [...output.matchAll(/^=== Running scenario: (\S+) ===$/gm)]
        .map(([, name = ""]) => name)
        .slice(0, required[revision])
        .filter((name) => !aboutHttp.has(name));
      expect(wanted.length).toBeGreaterThan(25);
      expect(
        wanted.filter((name) => !passed.includes(name)),
        output.slice(-6000),
      ).toEqual([]);
    };
    try {
      await inBoth(conform);
    } finally {
      await bridge.close();
      home.remove();
    }
  });
});

describe("a server behind tenon serve", () => {
  it("passes every scenario that it passes without it, in both eras, whichever came first", async () => {
    const serve = await startServe({
      policy: { rules: [{ decision: "allow", tool: "ref:*" }] },
      mcpServers: { ref: { url: reference.url } },
    });
    const proxy = await openNameProxy(serve, new ServerNames("ref", () => true));
    try {
      for (const revision of revisions) {
        const [direct, behind] = await Promise.all([
          runSuite(reference.url, revision),
          runSuite(proxy.url, revision),
        ]);
        expect(direct.passed.length).toBeGreaterThanOrEqual(30);
        expect(
          direct.passed.filter((name) => !behind.passed.includes(name)),
          behind.output.slice(-6000),
        ).toEqual([]);
      }
    } finally {
      await proxy.close();
      await serve.close();
    }
  });
});
