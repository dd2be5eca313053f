import { describe, expect, it } from "vitest";
import {
  collectGarbage,
  fixturesOfTest,
  postgresFixture,
  sqliteFixture,
  type NewFixture,
} from "../testing/drivers.js";
import { openBench } from "../testing/work-fixture.js";
import { restoreState } from "./restore-state.js";

const make = fixturesOfTest();

describe.each<[string, NewFixture, NewFixture]>([
  ["sqlite to postgres", sqliteFixture, postgresFixture],
  ["postgres to sqlite", postgresFixture, sqliteFixture],
])("an archive from %s", (_, from, to) => {
  it("brings back what agents keep, searchable, and goes on counting", async () => {
    const source = await openBench(await make(from));
    const { memories, snippets, plan, artifacts, pipeline } = source.stores;
    const learning = await memories.save({ kind: "learning", title: "连接池", content: "zebra", tags: [] });
    await memories.promote(learning.id, { kind: "pattern" });
    await snippets.save({ name: "a", code: "one", description: "lion", language: "ts", tags: ["t"] });
    await snippets.save({ name: "a", code: "two", description: "lion", language: "ts", tags: ["t"] });
    await snippets.list({ query: "lion" });
    await plan.createRequirement({ id: "R", title: "r", description: "", priority: "low" });
    await plan.createFeature({ id: "F", title: "f", description: "", requirementIds: ["R"] });
    await plan.createTask({ id: "T", title: "t", description: "", featureId: "F" });
    await artifacts.save("idea", "the idea");
    await pipeline.complete({ summary: "done" });
    let text = "";
    await source.state.export(async (line) => void (text += line), { contents: true });

    const { stateDir, workspace, database, ...target } = await make(to);
    await collectGarbage();
    const read = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text);
    };
    await restoreState({ stateDir, workspace, database, read });
    const { stores } = await openBench({ stateDir, workspace, database, ...target });
    expect(await stores.memories.query({ query: "连接 zebra" })).toEqual(
      await memories.query({ query: "连接 zebra" }),
    );
    expect(await stores.snippets.list({ query: "lion" })).toEqual(await snippets.list({ query: "lion" }));
    expect(await stores.snippets.history("a")).toEqual(await snippets.history("a"));
    expect(await stores.plan.tasks()).toEqual(await plan.tasks());
    expect(await stores.plan.history("task", "T")).toEqual(await plan.history("task", "T"));
    expect(await stores.artifacts.read({ name: "idea" })).toMatchObject({ content: "the idea" });
    expect(await stores.pipeline.status()).toEqual(await pipeline.status());
    expect(
      await stores.memories.save({ kind: "insight", title: "new", content: "tiger", tags: [] }),
    ).toMatchObject({
      id: "mem-3",
    });
    expect(await stores.memories.query({ query: "tiger" })).toHaveLength(1);
    await stores.snippets.save({ name: "b", code: "", description: "panther", language: "ts", tags: [] });
    expect(await stores.snippets.list({ query: "panther" })).toHaveLength(1);
    await stores.plan.createTask({ id: "T2", title: "t", description: "", dependsOn: ["T"] });
  });
});
