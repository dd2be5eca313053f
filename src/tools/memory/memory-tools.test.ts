import { describe, expect, it } from "vitest";
import { createFixture, open } from "../../../test/spine-fixture.js";
import { answer, failure, text } from "../testing/work-calls.js";

describe("the memory tools", () => {
  it("save and find, in Chinese too, after a restart", async () => {
    const fixture = createFixture();
    const first = open({}, fixture);
    const saved = await answer(first, "save_learning", {
      title: "连接池",
      content: "耗尽时要重试",
      tags: ["数据库"],
    });
    expect(saved).toMatchObject({
      id: "mem-1",
      kind: "learning",
      layer: "iteration",
      iterationId: "iteration-1",
    });
    await first.close();
    const later = open({}, fixture);
    for (const query of ["重试", "数据库", "池", "连接 重试"])
      expect(await answer(later, "query_memory", { query }), query).toMatchObject({
        memories: [{ id: "mem-1" }],
      });
    expect(await answer(later, "query_memory", { query: "试重" })).toEqual({
      count: 0,
      scope: "smart",
      memories: [],
    });
  });

  it("ask nobody in ask mode and do nothing in read-only mode, where looking stays possible", async () => {
    const fixture = createFixture();
    const asked: string[] = [];
    const asking = open(
      {
        config: { mode: "ask" },
        interact: {
          approve: ({ toolName }) => {
            asked.push(toolName);
            return { verdict: "no" };
          },
        },
      },
      fixture,
    );
    await answer(asking, "save_insight", { title: "t", content: "c" });
    await answer(asking, "save_issue", { title: "t", content: "c" });
    await answer(asking, "promote_to_pattern", { id: "mem-1" });
    expect(asked).toEqual([]);
    await asking.close();
    const reading = open({ config: { mode: "read-only" } }, fixture);
    expect((await failure(reading, "save_insight", { title: "t", content: "c" }))?.code).toBe(
      "ACCESS_DENIED",
    );
    expect(await answer(reading, "query_memory")).toMatchObject({ count: 2 });
  });

  it("resolve issues and promote with a link to the origin", async () => {
    const tenon = open();
    const { id } = await answer(tenon, "save_issue", { title: "Flaky", content: "red at times" });
    expect(await answer(tenon, "resolve_issue", { id, resolution: "awaited" })).toMatchObject({
      status: "resolved",
    });
    const pattern = await answer(tenon, "promote_to_pattern", { id, when_to_use: "events" });
    expect(pattern).toMatchObject({
      kind: "pattern",
      layer: "project",
      origin: id,
      whenToUse: "events",
      created: true,
    });
    expect(await answer(tenon, "promote_to_pattern", { id })).toMatchObject({
      id: pattern["id"],
      created: false,
    });
    await answer(tenon, "start_iteration");
    expect(await answer(tenon, "query_memory", { query: "flaky" })).toMatchObject({
      memories: [{ id: pattern["id"], origin: id }],
    });
    expect(await answer(tenon, "query_memory", { scope: "iteration" })).toMatchObject({ count: 0 });
    expect((await failure(tenon, "resolve_issue", { id, resolution: "again" }))?.code).toBe("VALUE_INVALID");
    for (const name of ["resolve_issue", "promote_to_decision", "promote_to_pattern"]) {
      const error = await failure(tenon, name, {
        id: "mem-99",
        ...(name === "resolve_issue" && { resolution: "x" }),
      });
      expect(error).toMatchObject({ type: "ToolResourceNotFoundError", code: "RESOURCE_NOT_FOUND" });
    }
  });

  it("tell the model what it needs", async () => {
    const tenon = open();
    expect(await text(tenon, "query_memory")).toBe("There are no memories yet.");
    expect(
      await text(tenon, "save_insight", { title: "A", content: "long ".repeat(1000), tags: ["x"] }),
    ).toBe("Saved the insight as mem-1 in iteration-1.");
    const shown = await text(tenon, "query_memory", { query: "long" });
    expect(shown).toMatch(/^\[mem-1\] A \(insight\) #x\nlong long/);
    expect(shown.length).toBeLessThan(2100);
    expect(await text(tenon, "query_memory", { query: "zebra" })).toBe("No memory matches the query.");
  });

  it("answer hostile queries with an envelope like any other", async () => {
    const tenon = open();
    await answer(tenon, "save_insight", { title: `it's "NEAR"`, content: "; DROP TABLE memories" });
    const hostile = [
      `"`,
      `NEAR(a,b)`,
      `a OR`,
      `*`,
      `'; DROP TABLE memories; --`,
      "\u0000",
      "x".repeat(100_000),
      `{a}:b`,
    ];
    for (const query of hostile) await answer(tenon, "query_memory", { query });
    expect(await answer(tenon, "query_memory", { query: `"NEAR" drop` })).toMatchObject({ count: 1 });
    expect((await failure(tenon, "query_memory", { query: "x".repeat(100_001) }))?.code).toBe(
      "ARGUMENTS_INVALID",
    );
    expect((await failure(tenon, "query_memory", { kind: "idea" }))?.code).toBe("ARGUMENTS_INVALID");
    expect((await failure(tenon, "save_insight", { title: "t", content: "a\0b" }))?.code).toBe(
      "VALUE_INVALID",
    );
  });

  it("see what calls before them saved, when all come at once", async () => {
    const tenon = open();
    const answers = await tenon.callMany([
      { name: "save_insight", arguments: { title: "first", content: "zebra" } },
      { name: "query_memory", arguments: { query: "zebra" } },
      { name: "start_iteration" },
      { name: "save_insight", arguments: { title: "second", content: "zebra" } },
      { name: "query_memory", arguments: { query: "zebra" } },
    ]);
    const found = answers.map(({ result }) => (result as { memories?: { title: string }[] }).memories);
    expect([found[1], found[4]]).toMatchObject([[{ title: "first" }], [{ title: "second" }]]);
  });
});
