import { describe, expect, it } from "vitest";
import { createFixture, open } from "../../../test/spine-fixture.js";
import { answer, failure } from "../testing/work-calls.js";

describe("the snippet tools", () => {
  it("save, load, list and delete, after a restart too", async () => {
    const fixture = createFixture();
    const first = open({}, fixture);
    const saved = await answer(first, "snippet_save", {
      name: "retry",
      code: "try {}",
      tags: ["net"],
      language: "js",
    });
    expect(saved).toEqual({ id: "snippet-1", name: "retry", created: true });
    const loaded = await answer(first, "snippet_load", { name: "retry" });
    expect(loaded).toMatchObject({ code: "try {}", description: "", language: "js", tags: ["net"] });
    await first.close();
    const later = open({}, fixture);
    expect(await answer(later, "snippet_load", { name: "snippet-1" })).toEqual(loaded);
    const listed = await answer(later, "snippet_list", { query: "retry", tags: ["net"], language: "JS" });
    expect(listed).toMatchObject({ count: 1, snippets: [{ name: "retry" }] });
    expect((listed["snippets"] as object[])[0]).not.toHaveProperty("code");
    expect(await answer(later, "snippet_delete", { name: "retry" })).toMatchObject({ deleted: true });
    expect(await answer(later, "snippet_list")).toEqual({ count: 0, snippets: [] });
  });

  it("update an existing name: the id, the time of creation and the history stay, all else is what was sent", async () => {
    const tenon = open();
    const { id } = await answer(tenon, "snippet_save", {
      name: "a",
      code: "1",
      description: "old",
      tags: ["x"],
    });
    const { createdAt } = await answer(tenon, "snippet_load", { name: "a" });
    expect(await answer(tenon, "snippet_save", { name: "a", code: "2" })).toEqual({
      id,
      name: "a",
      created: false,
    });
    expect(await answer(tenon, "snippet_load", { name: "a" })).toMatchObject({
      id,
      createdAt,
      code: "2",
      description: "",
      language: "plaintext",
      tags: [],
      version: 2,
    });
    expect(await tenon.work.snippets.history("a")).toMatchObject([{ code: "1", description: "old" }]);
  });

  it("say what is not found and what was probably meant", async () => {
    const tenon = open();
    await answer(tenon, "snippet_save", { name: "debounce", code: "" });
    for (const name of ["snippet_load", "snippet_delete"]) {
      expect(await failure(tenon, name, { name: "debonce" })).toMatchObject({
        type: "ToolResourceNotFoundError",
        message: expect.stringContaining("not found") as string,
        hint: 'Did you mean "debounce"?',
      });
    }
  });

  it("refuse bad arguments and keep nothing", async () => {
    const tenon = open();
    const bad = [
      { code: "x" },
      { name: "", code: "x" },
      { name: " ", code: "x" },
      { name: "a" },
      { name: "a", code: 1 },
    ];
    for (const args of bad)
      expect((await failure(tenon, "snippet_save", args))?.code).toBe("ARGUMENTS_INVALID");
    expect((await failure(tenon, "snippet_save", { name: "a", code: "x\0y" }))?.code).toBe("VALUE_INVALID");
    expect(await answer(tenon, "snippet_list")).toMatchObject({ count: 0 });
  });

  it("keep the order of calls that come together", async () => {
    const tenon = open();
    const requests = Array.from({ length: 20 }, (_, n) => [
      { name: "snippet_save", arguments: { name: "a", code: String(n) } },
      { name: "snippet_load", arguments: { name: "a" } },
    ]).flat();
    const answers = await tenon.callMany(requests);
    const codes = answers
      .filter((_, at) => at % 2 === 1)
      .map(({ result }) => (result as { code: string }).code);
    expect(codes).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
  });
});
