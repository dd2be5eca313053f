import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Tool } from "../../contract/tool.js";
import { createLineReader } from "./lines/line-reader.js";
import { createReadFileWithLimit } from "./read-file-with-limit.js";
import { openReadFixture, type ReadFixture } from "./testing/read-fixture.js";

let fixture: ReadFixture;
let tool: Tool;

beforeEach(() => {
  fixture = openReadFixture();
  tool = createReadFileWithLimit(createLineReader());
  writeFileSync(fixture.path("a.txt"), "a\n");
});
afterEach(() => fixture.close());

const read = (path = "a.txt", more: object = {}): Promise<Record<string, unknown>> =>
  fixture.run(tool, { path }, { settings: { maxCalls: 3 }, taskId: "t1", ...more });

describe("read_file_with_limit", () => {
  it("reads so often in a task, says how often is left, then refuses", async () => {
    const left = [await read(), await read(), await read()].map((result) => result["callsLeft"]);
    expect(left).toEqual([2, 1, 0]);
    await expect(read()).rejects.toMatchObject({ code: "QUOTA_SPENT", retryable: false });
    expect(await read("a.txt", { taskId: "t2" })).toMatchObject({ callsLeft: 2 });
  });

  it("counts by session where there is no task", async () => {
    const none = { taskId: undefined };
    for (let call = 0; call < 3; call += 1) await read("a.txt", none);
    await expect(read("a.txt", none)).rejects.toThrow(/used all/);
    expect(await read("a.txt", { ...none, sessionId: "other" })).toMatchObject({ callsLeft: 2 });
  });

  it("lets no more through when they come at once, and does not count failures", async () => {
    for (let call = 0; call < 5; call += 1) await expect(read("missing")).rejects.toThrow(/not found/);
    const many = await Promise.allSettled(Array.from({ length: 10 }, () => read()));
    expect(many.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  });

  it("says in the text what is left", async () => {
    expect(tool.render?.(await read(), {})).toBe(
      "1\ta\n[2 more calls of read_file_with_limit in this task.]",
    );
  });

  it("reads ten times where nothing is set, or nonsense", async () => {
    expect(await read("a.txt", { settings: { maxCalls: -1 } })).toMatchObject({ callsLeft: 9 });
  });
});
