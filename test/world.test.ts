import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createTenon, defineTool, type Tenon, type TenonOptions } from "../src/index.js";
import { underLoad } from "./setup/under-load.js";

/** A tool as a user would write it: everything goes through `ctx.files`. */
const put = defineTool({
  name: "put",
  description: "Write a file.",
  category: "file",
  annotations: { dangerous: true },
  input: z.object({ path: z.string(), text: z.string() }),
  resources: ({ path }) => ({ writes: [{ path }] }),
  preview: ({ path, text }) => ({ summary: `Write ${text.length} characters to ${path}` }),
  execute: async ({ path, text }, { files }) => {
    const { size } = await files.write(path, Buffer.from(text));
    return { size };
  },
});

const get = defineTool({
  name: "get",
  description: "Read a file.",
  category: "file",
  annotations: { readOnly: true },
  input: z.object({ path: z.string() }),
  resources: ({ path }) => ({ reads: [{ path }] }),
  execute: async ({ path }, { files }) => ({ text: Buffer.from(await files.read(path)).toString() }),
});

let root: string;
let workspace: string;
let tenon: Tenon;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-world-"));
  workspace = join(root, "workspace");
  mkdirSync(workspace);
});

afterEach(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

function open(options: TenonOptions = {}): Tenon {
  tenon = createTenon({
    workspace,
    tools: [put, get],
    ...options,
    config: { stateDir: join(root, "state"), mode: "auto", ...options.config },
  });
  return tenon;
}

const inside = (name: string): string => join(workspace, name);

describe("files through a call", () => {
  it("are written whole, and a person can take the change back after a restart", async () => {
    writeFileSync(inside("a.txt"), "before");
    open();
    const answer = await tenon.call({
      name: "put",
      arguments: { path: "a.txt", text: "after" },
      taskId: "t",
    });
    expect(answer).toSucceed({ result: { size: 5 } });
    await tenon.close();
    open();
    expect(await tenon.history({ path: "a.txt" })).toMatchObject([
      { callId: answer.callId, taskId: "t", tool: "put" },
    ]);
    await tenon.undo({ callId: answer.callId });
    expect(readFileSync(inside("a.txt"), "utf8")).toBe("before");
  });

  it.each([
    ["../outside.txt", /PATH_/],
    ["/etc/tenon-was-here", /PATH_/],
    [".git/hooks/pre-commit", /ACCESS_DENIED|PATH_FORBIDDEN/],
    ["a\0b", /PATH_INVALID|ARGUMENTS/],
  ])("refuse %j and change nothing", async (path, code) => {
    open();
    const answer = await tenon.call({ name: "put", arguments: { path, text: "x" } });
    expect(answer).not.toSucceed();
    expect(answer).toFailWith(code);
    expect(existsSync(join(root, "outside.txt"))).toBe(false);
    expect(existsSync(inside(".git"))).toBe(false);
  });

  it("open a protected path to the person's own rule that names it, and only that one", async () => {
    mkdirSync(inside(".vscode"));
    open({
      config: { policy: { rules: [{ decision: "allow", tool: "put", path: ".vscode/settings.json" }] } },
    });
    const settings = await tenon.call({
      name: "put",
      arguments: { path: ".vscode/settings.json", text: "{}" },
    });
    expect(settings).toSucceed();
    const tasks = await tenon.call({ name: "put", arguments: { path: ".vscode/tasks.json", text: "{}" } });
    expect(tasks).not.toSucceed();
  });

  it("refuse a pattern that would hang others, in no time, and one that cannot be read, clearly", async () => {
    writeFileSync(inside("a".repeat(120)), "x");
    open({ config: { files: { forbiddenPaths: ["*a*a*a*a*a*a*b"] } } });
    const answer = await tenon.call({ name: "get", arguments: { path: "a".repeat(120) } });
    expect(answer).toSucceed();
    expect(answer.durationMs).toBeLessThan(underLoad(2000));
  });

  it("do not follow a link that leaves", async () => {
    writeFileSync(join(root, "secret"), "s3cret");
    symlinkSync(join(root, "secret"), inside("link"));
    open();
    const answer = await tenon.call({ name: "get", arguments: { path: "link" } });
    expect(answer.error).toMatchObject({ type: "ToolSecurityError" });
    expect(JSON.stringify(answer)).not.toContain("s3cret");
  });

  it("keep Tenon's own state out of reach even where it lies inside an allowed path", async () => {
    open({ config: { files: { allowedPaths: [root] } } });
    await tenon.call({ name: "put", arguments: { path: "a.txt", text: "x" } });
    const answer = await tenon.call({ name: "get", arguments: { path: join(root, "state", "trust") } });
    expect(answer.error).toMatchObject({ type: "ToolSecurityError" });
  });

  it("are narrowed by the session and by the tool's configuration, never widened", async () => {
    mkdirSync(inside("src"));
    writeFileSync(inside("src/a.ts"), "a");
    writeFileSync(inside("src/secret.ts"), "b");
    writeFileSync(inside("top.txt"), "c");
    open({ config: { tools: { perTool: { get: { permissions: { forbiddenPaths: ["src/secret.ts"] } } } } } });
    const narrow = tenon.createSession({ allowedPaths: ["src", root] });
    const read = async (path: string) => (await narrow.call({ name: "get", arguments: { path } })).success;
    expect(await read("src/a.ts")).toBe(true);
    expect(await read("src/secret.ts")).toBe(false);
    expect(await read(join(root, "state"))).toBe(false);
    const whole = await tenon.call({ name: "get", arguments: { path: "top.txt" } });
    expect(whole).toSucceed();
  });

  it("ask before a change in mode ask, with the preview, and nobody is asked for what cannot work", async () => {
    const asked: string[] = [];
    open({
      config: { mode: "ask" },
      interact: {
        approve: (request) => {
          asked.push(request.preview?.summary ?? "");
          return true;
        },
      },
    });
    expect(await tenon.call({ name: "put", arguments: { path: "a.txt", text: "abc" } })).toSucceed();
    expect(await tenon.call({ name: "put", arguments: { path: "../a.txt", text: "abc" } })).not.toSucceed();
    expect(asked).toEqual(["Write 3 characters to a.txt"]);
  });

  it("say by paths.check what would be refused, without touching anything", () => {
    open();
    expect(tenon.paths.check("new/file.txt", "write")).toMatchObject({ allowed: true });
    expect(tenon.paths.check("../x")).toMatchObject({ allowed: false });
    expect(tenon.paths.check(".git/config", "write")).toMatchObject({ allowed: false });
  });

  it("keep the order of two processes' changes of one file", async () => {
    open();
    const other = createTenon({
      workspace,
      tools: [put],
      config: { stateDir: join(root, "state"), mode: "auto" },
    });
    const texts = Array.from({ length: 10 }, (_, at) => `text ${at}`);
    const answers = await Promise.all(
      texts.map((text, at) =>
        (at % 2 === 0 ? tenon : other).call({ name: "put", arguments: { path: "a.txt", text } }),
      ),
    );
    await other.close();
    expect(answers.every(({ success }) => success)).toBe(true);
    expect(texts).toContain(readFileSync(inside("a.txt"), "utf8"));
    expect(await tenon.history({ path: "a.txt" })).toHaveLength(10);
  });
});

describe("the network through a call", () => {
  let server: Server;
  let port: number;

  beforeEach(async () => {
    server = createServer((request, response) => {
      if (request.url === "/hop") response.writeHead(302, { location: `http://localhost:${port}/end` });
      response.end("hello");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const allow = { decision: "allow" as const, tool: "http_get" };

  it("refuses loopback unless it is allowed, whatever the rules say", async () => {
    open({ config: { policy: { rules: [allow] } } });
    const answer = await tenon.call({ name: "http_get", arguments: { url: `http://127.0.0.1:${port}/` } });
    expect(answer).toFailWith("NETWORK_REFUSED", { type: "ToolPermissionError" });
  });

  it("reaches an allowed host, and marks what came back as untrusted", async () => {
    open({ config: { policy: { rules: [allow] }, network: { allowHosts: ["127.0.0.1"] } } });
    const answer = await tenon.call({ name: "http_get", arguments: { url: `http://127.0.0.1:${port}/` } });
    expect(answer).toSucceed({ result: { status: 200, body: "hello" }, metadata: { untrusted: true } });
  });

  it("refuses a redirect to a host that a rule denies", async () => {
    open({
      config: {
        policy: { rules: [{ decision: "deny", host: `localhost:${port}` }, allow] },
        network: { allowHosts: ["127.0.0.1", "localhost"] },
      },
    });
    const answer = await tenon.call({ name: "http_get", arguments: { url: `http://127.0.0.1:${port}/hop` } });
    expect(answer).toFailWith("NETWORK_REFUSED");
  });
});

describe("questions to the person", () => {
  it("reach the program's own function", async () => {
    open({ interact: { ask: ({ message, options }) => `${message} ${options?.join("/") ?? ""}`.trim() } });
    const answer = await tenon.call({
      name: "ask_user",
      arguments: { question: "Which?", options: ["a", "b"] },
    });
    expect(answer).toSucceedWith({ question: "Which?", answer: "Which? a/b" });
    const input = await tenon.call({ name: "request_input", arguments: { prompt: "Name?", default: "x" } });
    expect(input).toSucceedWith({ input: "Name?" });
  });

  it("are answered by type", async () => {
    open({
      interact: {
        ask: ({ kind, content }) =>
          kind === "confirm"
            ? { approved: true, text: "go" }
            : { action: "edit", content: `${content}!`, feedback: "louder" },
      },
    });
    const confirmed = await tenon.call({
      name: "request_confirmation",
      arguments: { stage_name: "prd", message: "ok?" },
    });
    expect(confirmed).toSucceedWith({ approved: true, userResponse: "go" });
    const review = await tenon.call({
      name: "review_with_feedback_content",
      arguments: { title: "T", content: "hey" },
    });
    expect(review).toSucceedWith({ action: "edit", content: "hey!", feedback: "louder" });
  });

  it("are refused at once where nobody is there", async () => {
    open();
    const answer = await tenon.call({ name: "ask_user", arguments: { question: "Anybody?" } });
    expect(answer).toFailWith("INTERACTION_FAILED");
    expect(answer.durationMs).toBeLessThan(underLoad(2000));
  });

  it("have a limit of their own and stop with the call", async () => {
    open({ config: { approvals: { timeoutMs: 50 } }, interact: { ask: () => new Promise(() => {}) } });
    const late = await tenon.call({ name: "ask_user", arguments: { question: "Anybody?" } });
    expect(late.error?.message).toMatch(/Nobody answered/);
    await tenon.close();
    open({ interact: { ask: () => new Promise(() => {}) } });
    const stop = new AbortController();
    const asking = tenon.call({ name: "ask_user", arguments: { question: "Anybody?" }, signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    expect((await asking).error).toMatchObject({ type: "ToolCancelledError" });
  });

  it("keep feedback in the state", async () => {
    open();
    const answer = await tenon.call({
      name: "provide_feedback",
      arguments: { stage_name: "design", feedback_type: "issue", feedback: "too big" },
    });
    expect(answer).toSucceed({ result: { stageName: "design", feedbackType: "issue", feedback: "too big" } });
  });
});
