import { stripVTControlCharacters } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { createFixture, open, type Fixture } from "../../../test/spine-fixture.js";
import type { Tenon } from "../../runtime/tenon.js";
import { runTenon, type Ended } from "../testing/run-tenon.js";
import { columnsOf } from "../wrap.js";

let fixture: Fixture;

beforeEach(() => {
  fixture = createFixture();
});

const tenon = (args: readonly string[], tty?: { columns: number }): Promise<Ended> =>
  runTenon(args, { cwd: fixture.workspace, env: { TENON_STATE_DIR: fixture.stateDir }, ...tty });

async function fill(
  work: (call: (name: string, args: object) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const runtime: Tenon = open({}, fixture);
  await work(async (name, args) => {
    const { success, result, error } = await runtime.call({ name, arguments: args });
    expect(error).toBeUndefined();
    expect(success).toBe(true);
    return result;
  });
  await runtime.close();
}

const widest = (text: string): number =>
  Math.max(
    ...stripVTControlCharacters(text)
      .split("\n")
      .map((line) => columnsOf(line)),
  );

describe.each(["memory", "plan", "snippets"])("tenon %s", (command) => {
  it("says what to do where there is nothing", async () => {
    const { code, out } = await tenon([command]);
    expect(code).toBe(0);
    expect(out).toMatch(/(?:yet|empty)\.\n.*Try:\n {2}tenon call \w+/);
  });

  it("answers --json with data alone, colors or not", async () => {
    const { code, out, err } = await tenon([command, "--json"], { columns: 20 });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toEqual(command === "plan" ? { requirements: [], features: [], tasks: [] } : []);
  });
});

describe("tenon memory", () => {
  beforeEach(() =>
    fill(async (call) => {
      await call("save_insight", {
        title: "读者从不等待",
        content: "数据库处于 WAL 模式。".repeat(20),
        tags: ["db"],
      });
      await call("save_issue", { title: "Flaky test", content: "sometimes red \u001B[31m" });
      await call("promote_to_decision", { id: "mem-1", rationale: "measured" });
      await call("start_iteration", {});
    }),
  );

  it("finds by words over all iterations, best first", async () => {
    const { out } = await tenon(["memory", "数据"]);
    expect(out).toContain("mem-3 读者从不等待");
    expect(out).toContain("decision · project");
    expect(out).toContain("Because: measured");
    expect(out).not.toContain("Flaky");
  });

  it("narrows by kind and scope, and refuses what is no kind", async () => {
    expect(JSON.parse((await tenon(["memory", "--kind", "issue", "--json"])).out)).toMatchObject([
      { id: "mem-2" },
    ]);
    expect(JSON.parse((await tenon(["memory", "--scope", "smart", "--json"])).out)).toMatchObject([
      { id: "mem-3" },
    ]);
    expect((await tenon(["memory", "nothing"])).out).toContain("No matching memories");
    for (const flags of [
      ["--kind", "idea"],
      ["--scope", "x"],
      ["--limit", "0"],
      ["--limit", "many"],
    ])
      expect((await tenon(["memory", ...flags])).code).toBe(2);
  });

  it("fits a narrow terminal and lets no control sequence through", async () => {
    const { out } = await tenon(["memory"], { columns: 30 });
    expect(widest(out)).toBeLessThanOrEqual(30);
    expect(out).not.toContain("\u001B[31m");
    expect(out).toContain("\u001B[1m");
  });
});

describe("tenon plan", () => {
  beforeEach(() =>
    fill(async (call) => {
      const description = "";
      await call("create_requirement", { id: "REQ-1", title: "Sign in", description, priority: "high" });
      await call("create_requirement", { id: "REQ-2", title: "Sign out", description, priority: "low" });
      await call("add_feature", {
        id: "F-1",
        title: "Passkeys",
        description,
        requirement_ids: ["REQ-1", "REQ-2"],
      });
      await call("add_feature", { id: "F-2", title: "Theme", description, requirement_ids: [] });
      await call("create_task", { id: "T-1", title: "Server", description, feature_id: "F-1" });
      await call("create_task", {
        id: "T-2",
        title: "Page",
        description,
        feature_id: "F-1",
        depends_on: ["T-1"],
      });
      await call("create_task", { id: "T-3", title: "Docs", description, depends_on: ["T-2"] });
      await call("update_task_status", { id: "T-1", status: "done", note: "merged" });
    }),
  );

  it("is a tree with states, and what is ready", async () => {
    const { out } = await tenon(["plan"]);
    expect(out).toBe(
      [
        "REQ-1 Sign in [high]",
        "└─ F-1 Passkeys",
        "   ├─ ✔ T-1 Server (done)",
        "   └─ ○ T-2 Page (ready)",
        "",
        "REQ-2 Sign out [low]",
        "└─ F-1 Passkeys (see REQ-1)",
        "",
        "Features without a requirement",
        "└─ F-2 Theme",
        "",
        "Tasks without a feature",
        "└─ ○ T-3 Docs (pending, waiting for T-2)",
        "",
        "1 of 3 tasks done. Ready now: T-2.",
        "",
      ].join("\n"),
    );
  });

  it("fits a narrow terminal, in color", async () => {
    const { out } = await tenon(["plan"], { columns: 24 });
    expect(widest(out)).toBeLessThanOrEqual(24);
    expect(out).toContain("\u001B[");
  });

  it("shows one record with its history", async () => {
    const { out } = await tenon(["plan", "T-1"]);
    expect(out).toMatch(/T-1 Server\ntask · iteration-1 · created just now\nStatus: done\nFeature: F-1/);
    expect(out).toMatch(/default: status: pending -> done\n {2}merged/);
    expect(JSON.parse((await tenon(["plan", "REQ-1", "--json"])).out)).toMatchObject({
      kind: "requirement",
      history: [{ what: "created" }],
    });
    const missing = await tenon(["plan", "REQ-9"]);
    expect(missing.code).toBe(1);
    expect(missing.err).toContain('Did you mean "REQ-1"?');
  });
});

describe("tenon snippets", () => {
  beforeEach(() =>
    fill(async (call) => {
      await call("snippet_save", { name: "retry", code: "one", language: "ts", tags: ["net"] });
      await call("snippet_save", {
        name: "retry",
        code: "two\n",
        language: "ts",
        tags: ["net"],
        description: "重试",
      });
      await call("snippet_save", { name: "zip", code: "z", language: "py" });
    }),
  );

  it("lists, filters and prints the code alone", async () => {
    expect((await tenon(["snippets"])).out).toMatch(
      /^retry\n {2}ts · #net · version 2 · just now\n {2}重试\nzip\n/,
    );
    expect(JSON.parse((await tenon(["snippets", "--query", "重试", "--json"])).out)).toMatchObject([
      { name: "retry" },
    ]);
    expect((await tenon(["snippets", "--language", "rust"])).out).toBe("No matching snippets.\n");
    expect((await tenon(["snippets", "--tag", "net", "--json"])).out).toContain('"retry"');
    expect((await tenon(["snippets", "retry"])).out).toBe("two\n");
  });

  it("gives one with its history as JSON, and names the nearest for a wrong name", async () => {
    expect(JSON.parse((await tenon(["snippets", "retry", "--json"])).out)).toMatchObject({
      code: "two\n",
      history: [{ version: 1, code: "one" }],
    });
    const { code, err } = await tenon(["snippets", "retri"]);
    expect(code).toBe(1);
    expect(err).toContain('Did you mean "retry"?');
  });
});
