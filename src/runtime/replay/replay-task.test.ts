import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { describe, expect, it } from "vitest";
import { createFixture, open, tool } from "../../../test/spine-fixture.js";

function fixture() {
  const made = createFixture();
  mkdirSync(join(made.workspace, "lib"));
  writeFileSync(join(made.workspace, "a.txt"), "one\ntwo\n");
  writeFileSync(join(made.workspace, "lib", "b.txt"), "b\n");
  return made;
}

describe("running a task again", () => {
  it("starts where the task started, gives the same results, and leaves the workspace alone", async () => {
    const place = fixture();
    const config = { stateDir: place.stateDir, mode: "auto" as const };
    const tenon = open({ config }, place);
    const session = tenon.createSession({ taskId: "T1" });
    const steps: [string, object][] = [
      ["read_file", { path: "a.txt" }],
      ["edit_file", { path: "a.txt", old_str: "two", new_str: "three" }],
      ["write_file", { path: "new/c.txt", content: "c\n" }],
      ["delete_file", { path: "lib/b.txt" }],
      ["list_files", { path: "." }],
      ["read_file", { path: "missing.txt" }],
      ["read_file", { path: "/etc/shadow" }],
      ["current_time", {}],
    ];
    for (const [name, args] of steps) await session.call({ name, arguments: args });
    await tenon.call({ name: "write_file", arguments: { path: "later.txt", content: "later\n" } });
    const report = await tenon.replay("T1");
    expect(report.steps.filter(({ verdict }) => verdict !== "same")).toEqual([]);
    expect(report).toMatchObject({ same: true, notes: [] });
    expect(report.steps).toHaveLength(steps.length);
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("one\nthree\n");
    expect(existsSync(join(place.workspace, "lib/b.txt"))).toBe(false);
  });

  it("takes commands back with the rest, and compares what they changed", async () => {
    const place = fixture();
    const sandbox = { layers: { enabled: true } };
    const tenon = open({ config: { stateDir: place.stateDir, mode: "auto", sandbox } }, place);
    const session = tenon.createSession({ taskId: "T5" });
    const run = (command: string, more: object = {}) =>
      session.call({ name: "shell_exec", arguments: { command, ...more } });
    await run("sed -i s/two/2/ a.txt; mkdir made; echo x >made/x; rm lib/b.txt");
    await session.call({ name: "edit_file", arguments: { path: "a.txt", old_str: "one", new_str: "1" } });
    await run("cat a.txt made/x");
    await run("echo y >made/y", { dry_run: true });
    const same = await tenon.replay("T5");
    expect(same.steps.filter(({ verdict }) => verdict !== "same")).toEqual([]);
    expect(same.notes).toEqual([]);
    const other = tenon.createSession({ taskId: "T6" });
    await other.call({ name: "shell_exec", arguments: { command: "date +%s%N >now.txt" } });
    const differs = await tenon.replay("T6");
    expect(differs.steps[0]).toMatchObject({
      verdict: "different",
      difference: expect.stringMatching(/[-+].*now/),
    });
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("one\n2\n");
  });

  it("takes commits of git for the same although their ids contain the time", async () => {
    const place = fixture();
    const sandbox = { layers: { enabled: true } };
    const tenon = open({ config: { stateDir: place.stateDir, mode: "auto", sandbox } }, place);
    const session = tenon.createSession({ taskId: "T7" });
    const git = "git -c user.name=a -c user.email=a@example.org";
    for (const command of ["git init -q -b main .", `git add -A && ${git} commit -m one`, "git log --raw"]) {
      const { result } = await session.call({ name: "shell_exec", arguments: { command } });
      expect(result).toMatchObject({ exitCode: 0 });
    }
    await new Promise((resolve) => setTimeout(resolve, 1100)); // git counts in seconds
    const same = await tenon.replay("T7");
    expect(same.notes).toEqual([]);
    expect(same.steps.map(({ verdict, difference }) => [verdict, difference])).toEqual([
      ["same", undefined],
      ["same", undefined],
      ["different", expect.stringContaining("Date: ")],
    ]);
  });

  it("means the copy wherever an argument names the workspace", async () => {
    const place = fixture();
    const workspace = realpathSync(place.workspace);
    const lines: string[] = [];
    const take = tool("take", {
      input: z.object({ line: z.string() }),
      execute: ({ line }: { line: string }) => {
        lines.push(line);
        return {};
      },
    });
    const tenon = open({ tools: [take], config: { stateDir: place.stateDir, mode: "auto" } }, place);
    const line = `cd ${workspace} && rm -r '${workspace}' ${workspace}/lib ${workspace}-old ${workspace}.bak; ls ${workspace}`;
    await tenon.createSession({ taskId: "T3" }).call({ name: "take", arguments: { line } });
    await tenon.replay("T3");
    const [first, again = ""] = lines;
    expect(first).toBe(line);
    const copy = /^cd (\S+) /.exec(again)?.[1] ?? "";
    expect(copy).toContain("tenon-replay-");
    expect(again).toBe(
      `cd ${copy} && rm -r '${copy}' ${copy}/lib ${workspace}-old ${workspace}.bak; ls ${copy}`,
    );
  });

  it("shows what differs, and says what it could not run again", async () => {
    const place = fixture();
    let answer = "first";
    const tools = [
      tool("oracle", { execute: () => ({ answer }) }),
      tool("outside", { annotations: { readOnly: true, openWorld: true }, execute: () => ({ answer }) }),
    ];
    const config = { stateDir: place.stateDir, mode: "auto" as const };
    const tenon = open({ tools, config }, place);
    const session = tenon.createSession({ taskId: "T2" });
    await session.call({ name: "oracle", arguments: {} });
    await session.call({ name: "outside", arguments: {} });
    await session.call({ name: "read_file", arguments: { path: "a.txt" } });
    const edit = { path: "a.txt", old_str: "one", new_str: "uno" };
    expect(await session.call({ name: "edit_file", arguments: edit })).toSucceed();
    answer = "second";
    // Somebody changes the file outside the journal.
    writeFileSync(join(place.workspace, "a.txt"), "other\n");
    const report = await tenon.replay("T2", { keep: true });
    expect(report.same).toBe(false);
    expect(report.steps.map(({ verdict }) => verdict)).toEqual([
      "different",
      "skipped",
      "different",
      "different",
    ]);
    expect(report.steps[0]?.difference).toContain('+  "answer": "second"');
    expect(report.notes[0]).toContain("could not be restored to the start of the task");
    expect(existsSync(report.copy ?? "")).toBe(true);
    rmSync(dirname(report.copy ?? ""), { recursive: true });
    await expect(tenon.replay("no such task")).rejects.toThrow("not found in the log");
  });
});
