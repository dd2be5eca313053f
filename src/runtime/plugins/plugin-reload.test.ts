import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createPluginFixture, plainPlugin } from "./testing/plugin-fixture.js";

const fixture = createPluginFixture();
afterAll(() => fixture.end());

describe("reloading", () => {
  const version = (text: string): string =>
    plainPlugin("live", `[tool("ver", async (_, ctx) => { await ctx.clock.sleep(20); return "${text}"; })]`);

  it.each([false, true])(
    "drops no call, keeps the old one where the new one is bad (in process: %s)",
    async (inProcess) => {
      const turns = inProcess ? 5 : 2;
      const file = fixture.put(`live-${inProcess}.mjs`, version("0"));
      const tenon = fixture.open({ config: { tools: { maxConcurrent: 1000, maxQueued: 5000 } } });
      await tenon.loadPlugin(file, { inProcess });
      const answers: Promise<unknown>[] = [];
      const reloading = new AbortController();
      const load = (async () => {
        while (!reloading.signal.aborted) {
          answers.push(...Array.from({ length: 40 }, () => tenon.call({ name: "ver" })));
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      })();
      for (let turn = 1; turn <= turns; turn++) {
        writeFileSync(file, version(String(turn)));
        await tenon.reloadPlugin("live");
        expect(await tenon.call({ name: "ver" })).toMatchObject({ result: String(turn) });
      }
      writeFileSync(file, "export default 1;");
      await expect(tenon.reloadPlugin("live")).rejects.toThrow("found 1");
      reloading.abort();
      await load;
      expect(await tenon.call({ name: "ver" })).toMatchObject({ result: String(turns) });
      expect(tenon.plugins()[0]).toMatchObject({
        state: "running",
        fault: expect.stringContaining("found 1"),
      });
      const lost = (await Promise.all(answers)).filter((answer) => !(answer as { success: boolean }).success);
      expect(lost).toEqual([]);
      await tenon.close();
    },
    40_000,
  );

  it("follows the files where it is told to watch them, and tools come and go", async () => {
    const file = fixture.put("seen/index.mjs", plainPlugin("seen", `[tool("old_one", () => 1)]`));
    const tenon = fixture.open();
    await tenon.loadPlugin(file, { watch: true, inProcess: true });
    const loaded = new Promise((resolve) => tenon.on("PLUGIN_LOADED", resolve));
    writeFileSync(file, plainPlugin("seen", `[tool("new_one", () => 2)]`));
    expect(await loaded).toMatchObject({ tools: ["new_one"] });
    expect(await tenon.call({ name: "new_one" })).toMatchObject({ result: 2 });
    expect(await tenon.call({ name: "old_one" })).toFailWith("TOOL_NOT_FOUND");
    await tenon.close();
  });
});

describe("extensions of a plugin", () => {
  it("see and change calls from their own process, and go with the plugin", async () => {
    const file = fixture.put(
      "watcher.mjs",
      plainPlugin(
        "watcher",
        "[]",
        `extensions: [{ name: "watch", version: "1.0.0", description: "Watches.", filter: { names: ["write_file"] },
          onToolExecute: (tool, input) => input.content === "bad" ? { refuse: "no bad words" } : { input: { ...input, content: "[" + input.content + "]" } },
          onToolComplete: (tool, answer) => ({ notes: { ok: answer.success } }) }]`,
      ),
    );
    const tenon = fixture.open();
    await tenon.loadPlugin(file);
    const write = (content: string) =>
      tenon.call({ name: "write_file", arguments: { path: "w.txt", content } });
    expect(await write("good")).toSucceed({ metadata: { notes: { watch: { ok: true } } } });
    expect(readFileSync(join(fixture.workspace, "w.txt"), "utf8").trim()).toBe("[good]");
    expect(await write("bad")).toFailWith("EXTENSION_REFUSED");
    await tenon.unloadPlugin("watcher");
    await write("bad");
    expect(readFileSync(join(fixture.workspace, "w.txt"), "utf8").trim()).toBe("bad");
    await tenon.close();
  });
});
