import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTenon, defineTool, loadConfig } from "../src/index.js";
import { openFileFixture, type FileFixture } from "./file-fixture.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
});
afterEach(() => fixture.close());

describe("a path where nothing exists", () => {
  beforeEach(() => {
    mkdirSync(fixture.path("src/server"), { recursive: true });
    fixture.put("src/server/gateway.ts", "one\n");
  });

  it.each([
    ["read_file", { path: "src/server/gatway.ts" }],
    ["read_file", { path: "scr/Server/gateway.ts" }],
    ["edit_file", { path: "src/server/gateway.tsx", old_str: "a", new_str: "b" }],
    ["delete_file", { path: "src/srver/gateway.ts" }],
    ["move_file", { from: "src/server/gatewy.ts", to: "b.ts" }],
    ["apply_patch", { patch: "*** Begin Patch\n*** Delete File: src/server/gatewayts\n*** End Patch" }],
  ])("is answered by %s %j with the nearest one", async (name, args) => {
    expect(await fixture.refused(name, args)).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
      hint: 'Did you mean "src/server/gateway.ts"?',
    });
  });

  it("is not answered with what may not be read, nor with something else", async () => {
    await fixture.reopen({ config: { files: { forbiddenPaths: ["src/server/gateway.ts"] } } });
    for (const path of ["src/server/gatway.ts", "src/server/unrelated.ts"]) {
      expect((await fixture.refused("read_file", { path })).hint).not.toContain("gateway.ts");
    }
  });
});

describe("null for an optional argument", () => {
  it("counts as left out, at any depth", async () => {
    fixture.put("a.txt", "one\n");
    expect(await fixture.ok("read_file", { path: "a.txt", start_line: null, end_line: null })).toMatchObject({
      content: "one\n",
    });
    await fixture.ok("multi_edit", {
      path: "a.txt",
      edits: [{ old_str: "one", new_str: "two", replace_all: null }],
    });
    expect(fixture.text("a.txt")).toBe("two\n");
  });

  it("is refused where it is required, and kept where the schema takes it", async () => {
    expect(await fixture.refused("read_file", { path: null })).toMatchObject({ code: "ARGUMENTS_INVALID" });
    const seen = defineTool({
      name: "show_input",
      description: "Show the input.",
      category: "custom",
      annotations: { readOnly: true },
      input: {
        type: "object",
        properties: { maybe: { type: ["string", "null"] }, count: { type: "number" } },
      },
      execute: (input) => input,
    });
    await fixture.reopen({ tools: [seen] });
    expect(await fixture.ok("show_input", { maybe: null })).toEqual({ maybe: null });
    expect(await fixture.ok("show_input", { count: null })).toEqual({});
  });
});

describe("tools.allowedPaths", () => {
  it("narrows the workspace to the paths that it names, and adds those outside", async () => {
    mkdirSync(fixture.path("src"));
    mkdirSync(`${fixture.root}/outside`);
    fixture.put("src/a.txt", "needle\n");
    fixture.put("b.txt", "needle\n");
    symlinkSync("../b.txt", fixture.path("src/link.txt"));
    await fixture.reopen({ config: { tools: { allowedPaths: ["./src", `${fixture.root}/outside`] } } });
    await fixture.ok("read_file", { path: "src/a.txt" });
    await fixture.ok("list_files", { path: `${fixture.root}/outside` });
    for (const path of ["b.txt", "src/link.txt", "src/../b.txt"]) {
      expect((await fixture.refused("read_file", { path })).code).toMatch(/^PATH_/);
      expect((await fixture.refused("write_file", { path, content: "x" })).code).toMatch(/^PATH_/);
    }
    expect(await fixture.refused("grep", { pattern: "needle", path: "b.txt" })).toMatchObject({
      message: 'Access denied: "b.txt" is outside the paths that this call is allowed: src, ../outside.',
      hint: "Use a path inside the allowed ones, or ask a person to add this one to allowedPaths.",
    });
    const { files } = await fixture.ok("grep", { pattern: "needle", path: "src", mode: "files" });
    expect(files).toEqual([{ file: "src/a.txt" }]);
  });

  it("lets searches and lists begin above what it names, and shows only what leads there", async () => {
    for (const name of ["pk/app/a.txt", "pk/lib/b.txt", "docs/c.txt", "other/d.txt", "e.txt", "pk/f.txt"]) {
      mkdirSync(dirname(fixture.path(name)), { recursive: true });
      fixture.put(name, "needle\n");
    }
    symlinkSync("pk", fixture.path("link"));
    await fixture.reopen({ config: { mode: "auto", tools: { allowedPaths: ["pk/app", "docs"] } } });
    const allowed = ["docs/c.txt", "pk/app/a.txt"];
    const namesOf = ({ files }: Record<string, unknown>): string[] =>
      (files as { file?: string; path?: string }[]).map(({ file, path }) => file ?? path ?? "");
    expect(namesOf(await fixture.ok("grep", { pattern: "needle", mode: "files" }))).toEqual(allowed);
    expect(await fixture.ok("grep", { pattern: "needle", mode: "count" })).toMatchObject({ total: 2 });
    expect(await fixture.ok("grep", { pattern: "needle" })).toMatchObject({ total: 2 });
    expect(await fixture.ok("glob", { pattern: "**/*.txt" })).toMatchObject({ files: allowed });
    expect(namesOf(await fixture.ok("list_files", {}))).toEqual(["docs", "pk"]);
    expect(namesOf(await fixture.ok("list_files", { recursive: true }))).toEqual(
      expect.arrayContaining(["docs", "pk", "pk/app", ...allowed]),
    );
    expect(namesOf(await fixture.ok("list_directory", { path: "pk" }))).toEqual(["pk/app"]);
    expect(await fixture.ok("code_query", { query: "needle", type: "text" })).toMatchObject({
      matches: allowed.map((file) => ({ file })),
    });
    for (const path of ["other", "pk/lib", "pk/f.txt", "e.txt"])
      expect((await fixture.refused("list_files", { path })).code).toBe("PATH_OUTSIDE");
    const refused: readonly [string, Record<string, unknown>][] = [
      ["copy_file", { from: "pk", to: "docs/pk" }],
      ["move_file", { from: "pk", to: "docs/pk" }],
      ["delete_file", { path: "pk", recursive: true }],
      ["make_directory", { path: "pk/new" }],
    ];
    for (const [tool, args] of refused) expect((await fixture.refused(tool, args)).code).toBe("PATH_OUTSIDE");
  });

  it("narrows commands too: they are refused, find nothing and change nothing beside it", async () => {
    mkdirSync(fixture.path("pk/app"), { recursive: true });
    fixture.put("pk/app/a.txt", "needle\n");
    fixture.put("pk/b.txt", "needle\n");
    fixture.put("b.txt", "needle\n");
    symlinkSync("../../b.txt", fixture.path("pk/app/link.txt"));
    await fixture.reopen({ config: { mode: "auto", tools: { allowedPaths: ["pk/app"] } } });
    for (const command of ["cat b.txt", "echo x > pk/b.txt", "cd pk && cat b.txt", "rm b.txt", "cat < b.txt"])
      expect((await fixture.refused("shell_exec", { command })).code).toBe("PATH_OUTSIDE");
    const found = await fixture.ok("shell_exec", { command: "grep -r needle . ; cat pk/app/link.txt; true" });
    expect(found["stdout"]).toBe("./pk/app/a.txt:needle\n");
    const script =
      "import os;[open(n,'w').write('x') for n in ('new.txt','pk/app/new.txt')];print(os.path.exists('pk'))";
    await fixture.ok("shell_exec", { command: `python3 -c "${script}"` });
    expect(existsSync(fixture.path("new.txt"))).toBe(false);
    expect(existsSync(fixture.path("pk/app/new.txt"))).toBe(true);
  });

  it("leaves the workspace as it is where it names only other folders, as files.allowedPaths does", async () => {
    mkdirSync(`${fixture.root}/outside`);
    fixture.put("b.txt", "one\n");
    for (const config of [
      { tools: { allowedPaths: [`${fixture.root}/outside`] } },
      { files: { allowedPaths: [`${fixture.root}/outside`] } },
    ]) {
      await fixture.reopen({ config });
      expect(await fixture.ok("read_file", { path: "b.txt" })).toMatchObject({ content: "one\n" });
      expect(await fixture.ok("list_files", { path: `${fixture.root}/outside` })).toMatchObject({
        files: [],
      });
    }
  });
});

describe("a file over files.maxFileSize", () => {
  it("can be copied and deleted after a move, though a part of it was read before", async () => {
    await fixture.reopen({ config: { files: { maxFileSize: 100 } } });
    fixture.put("big.txt", "line\n".repeat(50));
    await fixture.ok("read_file", { path: "big.txt", start_line: 2, end_line: 3 });
    await fixture.ok("move_file", { from: "big.txt", to: "moved.txt" });
    await fixture.ok("copy_file", { from: "moved.txt", to: "copied.txt" });
    fixture.put("moved.txt", "LINE\n".repeat(50));
    expect((await fixture.refused("delete_file", { path: "moved.txt" })).code).toBe("EDIT_STALE");
  });
});

describe("the configuration", () => {
  it("refuses a misspelt tool under perTool with the nearest name, and leaves tools of others alone", async () => {
    const open = (perTool: object) => fixture.reopen({ config: { tools: { perTool } } } as never);
    await expect(open({ read_fiel: { timeout: 5 } })).rejects.toThrow(
      'tools.perTool.read_fiel: unknown tool; did you mean "read_file"?',
    );
    await open({
      "server:tool": { timeout: 5 },
      something_of_mine: { timeout: 5 },
      read_file: { timeout: 5000 },
    });
  });

  it.each([
    [
      { tools: { enabled: ["read_file", "!grpe"] } },
      'tools.enabled: !grpe: unknown tool; did you mean "grep"?',
    ],
    [
      { toolsets: { mine: ["reed_file"] } },
      'toolsets.mine: reed_file: unknown tool; did you mean "read_file"?',
    ],
    [
      { tools: { quotas: [{ tool: "web_serach", perMinute: 3 }] } },
      'tools.quotas: web_serach: unknown tool; did you mean "web_search"?',
    ],
    [
      { policy: { rules: [{ decision: "deny" as const, tool: ["write_file", "delete_fiel"] }] } },
      'policy.rules: delete_fiel: unknown tool; did you mean "delete_file"?',
    ],
    [
      { chains: { both: { description: "Both.", steps: [{ id: "a", tool: "raed_file" }] } } },
      'chains.both.steps[0].tool: unknown tool; did you mean "read_file"?',
    ],
  ])("refuses a misspelt tool in the list of %j", async (config, message) => {
    await expect(fixture.reopen({ config })).rejects.toThrow(message);
  });

  it("names the file and the line of a misspelt tool", async () => {
    fixture.put(
      "own.yaml",
      `mode: ask
tools:
  perTool: { read_fiel: { timeout: 5 } }
  enabled:
    - read_file
    - grpe
policy:
  rules:
    - { decision: deny, tool: WRITE_FILE }
    - { decision: deny, tool: delete_fiel }
chains:
  good: { description: Good., steps: [{ id: a, tool: read_file, input: { path: x } }] }
`,
    );
    const configFile = join(fixture.workspace, "own.yaml");
    const options = { workspace: fixture.workspace, configFile, env: {}, home: "/", trusted: () => false };
    const loaded = await loadConfig(options);
    expect(() => createTenon({ loaded })).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({ file: configFile, line: 3, column: 14 }),
          expect.objectContaining({ file: configFile, line: 6, column: 7 }),
          expect.objectContaining({ file: configFile, line: 10, path: "policy.rules: delete_fiel" }),
        ],
      }),
    );
    fixture.put("own.yaml", "chains:\n  bad: { description: Bad., steps: [{ id: a, tool: read_file }] }\n");
    const chained = await loadConfig(options);
    expect(() => createTenon({ loaded: chained })).toThrow(
      `${configFile}:2:3: chains.bad: Tool "bad" does not match the tools that it calls: step "a" does not pass "path" to read_file.`,
    );
    fixture.put(
      "own.yaml",
      "policy:\n  rules:\n    - { id: a, decision: ask }\n    - { id: a, decision: deny }\n",
    );
    await expect(loadConfig(options)).rejects.toMatchObject({ problems: [{ file: configFile, line: 4 }] });
  });

  it("refuses bing, whose search API is gone, and names the others", async () => {
    const config = { tools: { webSearch: { provider: "bing" } } } as never;
    await expect(fixture.reopen({ config })).rejects.toThrow(
      "tools.webSearch.provider: expected one of tavily, google, duckduckgo, brave, searxng",
    );
  });
});

describe("web_search", () => {
  it.each([
    [{}, "api.tavily.com"],
    [{ provider: "duckduckgo" }, "html.duckduckgo.com"],
    [{ provider: "searxng", url: "https://search.example.org:8080" }, "search.example.org:8080"],
  ])("with %j declares its provider's host, so that rules about hosts apply", async (webSearch, host) => {
    const rules = [{ id: "no-search", decision: "deny", host }];
    await fixture.reopen({ config: { tools: { webSearch }, policy: { rules } } } as never);
    const error = await fixture.refused("web_search", { query: "lamps" });
    expect(error).toMatchObject({ type: "ToolPermissionError", details: { rule: "no-search" } });
  });
});

describe("paths.check", () => {
  it("judges the text alone with links: false", () => {
    mkdirSync(`${fixture.root}/outside`);
    symlinkSync(`${fixture.root}/outside`, fixture.path("link"));
    const { paths } = fixture.tenon;
    expect(paths.check("link/a.txt")).toMatchObject({ allowed: false });
    expect(paths.check("link/a.txt", { links: false })).toMatchObject({ allowed: true });
    expect(paths.check("../a.txt", { links: false })).toMatchObject({ allowed: false });
    expect(paths.check("src/../../a.txt", { links: false })).toMatchObject({ allowed: false });
    expect(paths.check(".git/config", { links: false, access: "write" })).toMatchObject({ allowed: false });
    expect(() => paths.check("a", { link: false } as never)).toThrow(/"link"/);
  });
});

describe("a session with tools", () => {
  it("sees only those, and refuses a misspelt one", async () => {
    fixture.put("a.txt", "one\n");
    const session = fixture.tenon.createSession({ tools: ["read_file", "get_*"] });
    expect(session.tools().map(({ name }) => name)).toEqual([
      "get_env",
      "get_features",
      "get_file_info",
      "get_requirements",
      "get_tasks",
      "read_file",
    ]);
    expect(await session.call({ name: "read_file", arguments: { path: "a.txt" } })).toSucceed();
    expect(await session.call({ name: "list_files" })).toFailWith("TOOL_NOT_FOUND");
    expect(() => fixture.tenon.createSession({ tools: ["raed_file"] })).toThrow(/raed_file/);
  });
});

describe("the interaction tools", () => {
  it("have output schemas", () => {
    for (const name of [
      "ask_user",
      "request_confirmation",
      "request_input",
      "provide_feedback",
      "review_with_feedback_content",
    ]) {
      expect(fixture.tenon.registry.describe(name)?.outputSchema, name).toBeDefined();
    }
  });
});

describe("the metrics of commands", () => {
  it("count the bytes that a short command read and wrote", async () => {
    fixture.put("a.bin", "x".repeat(3_000_000));
    await fixture.ok("shell_exec", { command: "cat a.bin > b.bin" });
    const ioBytes = fixture.tenon.metrics.tool("shell_exec")?.resources?.ioBytes;
    expect(ioBytes).toBeGreaterThanOrEqual(6_000_000);
    expect(ioBytes).toBeLessThan(30_000_000);
    // A command that is known to only read runs without the checks for changes, but is counted all the same.
    await fixture.ok("shell_exec", { command: "cat a.bin | wc -c" });
    const after = fixture.tenon.metrics.tool("shell_exec")?.resources?.ioBytes ?? 0;
    expect(after - (ioBytes ?? 0)).toBeGreaterThanOrEqual(9_000_000);
  });
});
