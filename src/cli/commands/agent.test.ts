import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFixture, type Fixture } from "../../../test/spine-fixture.js";
import {
  callsTools,
  fails,
  says,
  startStandIn,
  type StandInAnswer,
} from "../../agent/testing/stand-in-server.js";
import { runTenon, type Ended } from "../testing/run-tenon.js";

let fixture: Fixture;
let close: (() => Promise<void>) | undefined;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(async () => {
  await close?.();
  close = undefined;
});

function tenon(
  args: readonly string[],
  { env = {}, interrupted }: { env?: Readonly<Record<string, string>>; interrupted?: AbortSignal } = {},
): Promise<Ended> {
  return runTenon(args, {
    cwd: fixture.workspace,
    env: { TENON_STATE_DIR: fixture.stateDir, ...env },
    ...(interrupted !== undefined && { interrupted }),
  });
}

async function serve(...answers: StandInAnswer[]) {
  const server = await startStandIn(answers);
  ({ close } = server);
  return server;
}

describe("tenon agent", () => {
  it("shows text, calls and the look back, and keeps the key from the tools", async () => {
    writeFileSync(join(fixture.workspace, "a.txt"), "forty-two\n");
    const server = await serve(
      callsTools(["c1", "read_file", '{"path":"a.txt"}'], ["c2", "get_env", '{"key":"MY_MODEL"}']),
      says("It says ", "forty-two.\u001b[2J"),
    );
    const { code, out, err } = await tenon(
      [
        "agent",
        "Read it",
        "--model",
        "m",
        "--base-url",
        server.url,
        "--api-key-env",
        "MY_MODEL",
        "--task",
        "t9",
      ],
      { env: { MY_MODEL: "the-key" } },
    );
    expect(code).toBe(0);
    expect(out).toBe("It says forty-two.⟨ESC⟩[2J\n");
    expect(err).toMatch(/→ read_file \{"path":"a.txt"\}/);
    expect(err).toMatch(/✓ read_file \d+ ms/);
    expect(err).toMatch(/2 steps, 2 calls, 20 tokens in, 10 out. Task t9: \w+\./);
    expect(server.seen[0]?.authorization).toBe("Bearer the-key");
    const results = JSON.stringify(server.seen[1]?.body.messages);
    expect(results).toContain("forty-two");
    expect(results).not.toContain("the-key");
  });

  it.each([
    [[], /^tenon policy allow --tool write_file --path 'a file'$/],
    [["--mode", "read-only"], /^tenon call write_file '\{"path":"a file","content":"x"\}' --mode auto$/],
  ])("ends in a command to paste for each call that was refused (%j)", async (mode, expected) => {
    const call = ["c1", "write_file", '{"path":"a file","content":"x"}'] as const;
    const again = ["c2", ...call.slice(1)] as unknown as typeof call;
    const outside = ["c3", "write_file", '{"path":"/etc/x","content":"x"}'] as const;
    const server = await serve(callsTools([...call], [...again], [...outside]), says("No."));
    const { err } = await tenon(["agent", "Go", "--model", "m", "--base-url", server.url, ...mode]);
    const offers = [...err.matchAll(/^To allow it: (.*)$/gm)].map(([, command]) => command);
    expect(offers).toEqual([expect.stringMatching(expected)]);
  });

  it("gives the whole result as JSON, also with tools in the prompt", async () => {
    const server = await serve(
      says('<tool_call>{"name":"current_time","arguments":{}}</tool_call>'),
      says("Late."),
    );
    const { code, out } = await tenon([
      "agent",
      "When?",
      "--model",
      "m",
      "--base-url",
      server.url,
      "--prompt-tools",
      "json",
      "--json",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      text: "Late.",
      stopped: "done",
      calls: 1,
      reflection: { verdict: "complete" },
    });
    expect(server.seen[0]?.body.tools).toBeUndefined();
  });

  it("says what is missing, and what the server said", async () => {
    expect(await tenon(["agent", "x"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--model") as string,
    });
    const noUrl = await tenon(["agent", "x", "--model", "m"]);
    expect(noUrl).toMatchObject({ code: 2, err: expect.stringContaining("--base-url") as string });
    const steps = await tenon([
      "agent",
      "x",
      "--model",
      "m",
      "--base-url",
      "http://127.0.0.1:1",
      "--max-steps",
      "0",
    ]);
    expect(steps).toMatchObject({ code: 2, err: expect.stringContaining("--max-steps") as string });
    const server = await serve(fails(400, "no such model"));
    const failed = await tenon(["agent", "x", "--model", "m", "--base-url", server.url]);
    expect(failed.code).toBe(1);
    expect(failed.err).toContain("no such model");
  });

  const allowed = (...args: string[]): Promise<Ended> => {
    const config = "policy: { rules: [{ decision: allow, tool: shell_exec }] }\n";
    writeFileSync(join(fixture.workspace, "..", "mine.yml"), config);
    return tenon(["agent", "--config", "../mine.yml", ...args]);
  };

  it("runs with native tools, and writes a transcript that replays without a model", async () => {
    const server = await serve(callsTools(["c1", "shell", '{"commands":["echo one"]}']), says("Done."));
    const native = ["--native", "openai"];
    const model = ["--model", "m", "--base-url", server.url];
    const first = await allowed("Go", ...model, ...native, "--transcript", "t.json");
    expect(first.err).toMatch(/✓ shell \d+ ms/);
    expect(first.code).toBe(0);
    const offered = server.seen[0]?.body.tools?.map((tool) => tool.function.name);
    expect(offered).toEqual(expect.arrayContaining(["apply_patch", "shell"]));
    expect(offered).not.toContain("edit_file");
    const again = await allowed("--replay", "t.json", "--json", ...native);
    expect(JSON.parse(again.out)).toMatchObject({
      stopped: "done",
      text: "Done.",
      transcript: { task: "Go", steps: [{ calls: [{ result: { success: true } }] }, {}] },
    });
    expect(server.seen).toHaveLength(2);
    expect(await tenon(["agent", "--replay", "none.json"])).toMatchObject({ code: 2 });
    expect(await tenon(["agent", ...model])).toMatchObject({ code: 2 });
  });

  it("has background jobs, which end with it", async () => {
    const server = await serve(
      callsTools(["c1", "shell_exec", '{"command":"sleep 600","background":true}']),
      callsTools(["c2", "shell_jobs", "{}"]),
      says("Done."),
    );
    const { code, err } = await allowed("Go", "--model", "m", "--base-url", server.url);
    expect(err).toMatch(/✓ shell_exec \d+ ms/);
    expect(code).toBe(0);
    expect(JSON.stringify(server.seen[2]?.body.messages.at(-1))).toMatch(
      /sleep 600.*running|running.*sleep 600/,
    );
  });

  it("ends when it is interrupted", async () => {
    const stop = new AbortController();
    const server = await serve(() => setImmediate(() => stop.abort()) as unknown as void);
    const { code, err } = await tenon(["agent", "x", "--model", "m", "--base-url", server.url], {
      interrupted: stop.signal,
    });
    expect(code).toBe(1);
    expect(err).toContain("Interrupted.");
  });
});

describe("tenon prompt", () => {
  it("prints the tools in both formats, one of them, and within a budget", async () => {
    expect((await tenon(["prompt"])).out).toContain('<tool name="read_file"');
    const one = await tenon(["prompt", "--format", "json", "--tool", "read_file", "--json"]);
    expect(JSON.parse(one.out)).toMatchObject({ full: ["read_file"], omitted: [] });
    const tight = await tenon(["prompt", "--max-tokens", "900", "--json"]);
    expect((JSON.parse(tight.out) as { tokens: number }).tokens).toBeLessThanOrEqual(900);
  });

  it("refuses a format and a tool that are not there", async () => {
    expect(await tenon(["prompt", "--format", "yaml"])).toMatchObject({ code: 2 });
    expect((await tenon(["prompt", "--tool", "read_fil"])).err).toContain("read_file");
  });
});
