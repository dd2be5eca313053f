import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixture, open, tool } from "../../test/spine-fixture.js";
import { runLine, runTool } from "./shell-line.fixture.js";

/** A tool that would touch what its input says, and how often somebody was asked. */
function touching(category: string) {
  const fixture = createFixture();
  const asked: string[] = [];
  const touch = tool("touch", {
    category: category as never,
    annotations: { dangerous: true },
    resources: (input) => input as object,
    execute: () => "touched",
  });
  const interact = { approve: ({ toolName }: { toolName: string }) => (asked.push(toolName), true) };
  const tenon = open({ tools: [touch], interact }, fixture);
  return { asked, call: (input: object) => tenon.call({ name: "touch", arguments: input }), tenon };
}

describe("what the guards refuse", () => {
  it.each<[object, string, string]>([
    [{ reads: [{ path: "/etc/passwd" }] }, "ToolSecurityError", "PATH_OUTSIDE"],
    [{ reads: [{ path: "fine" }, { path: "../up" }] }, "ToolSecurityError", "PATH_TRAVERSAL"],
    [{ writes: [{ path: "../up" }] }, "ToolSecurityError", "PATH_TRAVERSAL"],
    [{ reads: [{ tree: "/" }] }, "ToolSecurityError", "PATH_OUTSIDE"],
    [{ reads: [{ host: "127.0.0.1" }] }, "ToolPermissionError", "NETWORK_REFUSED"],
  ])("is %j, before anybody is asked", async (touched, type, code) => {
    const { asked, call } = touching("custom");
    const { error } = await call(touched);
    expect(error).toMatchObject({ type, code, details: { rule: `guard:${code}`, source: "guard" } });
    expect(error?.hint).toEqual(expect.any(String));
    expect(asked).toEqual([]);
  });

  it.each<[object]>([
    [{ reads: [{ path: "src/a" }], writes: [{ path: "src/b" }] }],
    [{ reads: [{ tree: "." }] }],
    [{ reads: [{ path: ".git/config" }] }],
    [{ reads: [{ host: "example.com" }] }],
    [{ reads: [{ env: "A" }], writes: [{ lock: "x" }] }],
    [{}],
  ])("is not %j, about which the person is asked", async (touched) => {
    const { asked, call } = touching("custom");
    expect(await call(touched)).toSucceed();
    expect(asked).toEqual(["touch"]);
  });

  it("is a server on this machine for a tool, and none that a command names", async () => {
    const host = { reads: [{ host: "localhost" }] };
    expect((await touching("custom").call(host)).error?.code).toBe("NETWORK_REFUSED");
    expect(await touching("shell").call(host)).toSucceed();
  });
});

describe("the allowed paths, for a command", () => {
  async function answerTo(line: string, allowedPaths: string[]) {
    const fixture = createFixture();
    const { run, seen } = runTool();
    const tenon = open({ tools: [run], interact: { approve: () => true } }, fixture);
    const session = tenon.createSession({ allowedPaths });
    const answer = await session.call(runLine(line.replaceAll("WS", fixture.workspace)));
    return { answer, seen };
  }

  it.each([
    ["cat other/a", "other/a"],
    ["cat src/app/a other/a", "other/a"],
    ["echo x > src/b", "src/b"],
    ["cp src/app/a src/b", "src/b"],
    ["cat WS/other/a", "other/a"],
    // What is on the way to them can be read, and not written.
    ["echo x > src", "src"],
  ])("refuse %j and name the path from the workspace", async (line, path) => {
    const { answer, seen } = await answerTo(line, ["src/app"]);
    expect(answer).toFailWith("PATH_OUTSIDE", {
      type: "ToolSecurityError",
      message: `"${path}" is outside the paths that this call is allowed.`,
      hint: "Use the allowed paths only, or ask a person to add this one to allowedPaths.",
      details: { rule: "guard:PATH_OUTSIDE", source: "guard" },
    });
    expect(seen).toEqual([]);
  });

  it.each(["cat src/app/a", "echo x > src/app/b", "ls src", "make", "cp src/app/a src/app/b"])(
    "let %j run",
    async (line) => {
      expect((await answerTo(line, ["src/app"])).answer).toSucceed();
    },
  );

  it("name a path outside the workspace in full", async () => {
    const fixture = createFixture();
    const elsewhere = join(fixture.workspace, "../elsewhere");
    mkdirSync(elsewhere);
    const { run } = runTool();
    const config = { files: { allowedPaths: [elsewhere] } };
    const tenon = open({ tools: [run], config, interact: { approve: () => true } }, fixture);
    const answer = await tenon.createSession({ allowedPaths: ["src"] }).call(runLine(`cat ${elsewhere}/a`));
    expect(answer.error?.message).toBe(`"${elsewhere}/a" is outside the paths that this call is allowed.`);
    expect(await tenon.call(runLine(`cat ${elsewhere}/a`))).toSucceed();
  });
});
