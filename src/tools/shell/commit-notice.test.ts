import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineTool } from "../../contract/define-tool.js";
import type { FileChange } from "../../contract/ports/files.js";
import { createTenon } from "../../runtime/create-tenon.js";
import type { Tenon } from "../../runtime/tenon.js";

let root: string;
let workspace: string;
let tenon: Tenon;
const seen: FileChange[] = [];

/** Watches the workspace until it is stopped. */
const watchFiles = defineTool({
  name: "watch_files",
  description: "Watches.",
  category: "file",
  annotations: { readOnly: true },
  timeoutMs: null,
  input: z.object({}),
  async execute(_, { files, signal, emit }) {
    emit("watching");
    for await (const change of files.watch(".", signal)) seen.push(change);
    return {};
  },
});

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-notice-")));
  workspace = join(root, "work");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.ts"), "export function first() {}\n");
  tenon = createTenon({
    workspace,
    tools: [watchFiles],
    config: {
      stateDir: join(root, "state"),
      mode: "auto",
      sandbox: { layers: { enabled: true } },
      tools: { cache: { enabled: true } },
    },
    env: { PATH: process.env["PATH"], HOME: root, SHELL: "/bin/bash" },
    home: root,
  });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

async function sh(command: string): Promise<string> {
  const { callId, result } = await tenon.call("shell_exec", { command });
  expect(result?.committed).toBe("all");
  return callId;
}

describe("the commit of a command is noticed", () => {
  it("by the cache of results", async () => {
    const read = async (): Promise<unknown> =>
      (await tenon.call("read_file", { path: "a.ts" })).result?.content;
    expect([await read(), await read()]).toEqual([await read(), await read()]);
    const before = await read();
    const callId = await sh("echo '// more' >>a.ts");
    expect(await read()).toContain("// more");
    await tenon.call("undo_edit", { call_id: callId });
    expect(await read()).toEqual(before);
  });

  it("by the index of the code", async () => {
    const find = async (query: string): Promise<string> =>
      JSON.stringify((await tenon.call("code_query", { query })).result);
    expect(await find("first")).toContain("a.ts");
    await sh("mkdir lib; echo 'export function movedHere() {}' >lib/b.ts; sed -i s/first/second/ a.ts");
    expect(await find("movedHere")).toContain("lib/b.ts");
    expect(await find("second")).toContain("a.ts");
  });

  it("by who watches files", async () => {
    const stop = new AbortController();
    const started = new Promise<void>((done) => tenon.on("TOOL_CALL_PROGRESS", () => done()));
    const watching = tenon.call({ name: "watch_files", arguments: {}, signal: stop.signal });
    await started;
    await expect
      .poll(
        async () => {
          await sh("date +%N >watched.txt");
          return seen.some(({ path }) => path.endsWith("watched.txt"));
        },
        { timeout: 30_000 },
      )
      .toBe(true);
    stop.abort();
    await watching;
  });
});
