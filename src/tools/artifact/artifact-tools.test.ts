import { describe, expect, it } from "vitest";
import { open } from "../../../test/spine-fixture.js";
import { answer, failure, text } from "../testing/work-calls.js";
import { prdMarkdown } from "./render-prd.js";

const documents = {
  save_idea_doc: "idea",
  save_prd_doc: "prd",
  save_design_doc: "design",
  save_plan_doc: "plan",
  save_check_report: "check",
  save_delivery_report: "delivery",
};

describe("the artifact tools", () => {
  it.each(Object.entries(documents))("%s saves the document %s, every version of it", async (tool, name) => {
    const tenon = open();
    const path = `.tenon/artifacts/iteration-1/${name}.md`;
    expect(await answer(tenon, tool, { content: "# 一\n" })).toMatchObject({
      success: true,
      path,
      version: 1,
    });
    expect(await answer(tenon, tool, { content: "# 二\n" })).toMatchObject({
      success: true,
      path,
      version: 2,
    });
    expect(await answer(tenon, "read_artifact", { name })).toMatchObject({ content: "# 二\n", version: 2 });
    expect(await text(tenon, "read_artifact", { name, version: 1 })).toBe("# 一\n");
    expect(await answer(tenon, "list_artifacts")).toMatchObject({
      count: 1,
      artifacts: [{ name, versions: 2 }],
    });
  });

  it("refuse an empty document, and a render of nothing", async () => {
    const tenon = open();
    expect((await failure(tenon, "save_prd_doc", { content: "" }))?.code).toBe("ARGUMENTS_INVALID");
    expect((await failure(tenon, "render_prd"))?.code).toBe("VALUE_INVALID");
    expect((await failure(tenon, "read_artifact", { name: "../secret" }))?.code).toBe("ARGUMENTS_INVALID");
    expect(await answer(tenon, "list_artifacts")).toEqual({ count: 0, artifacts: [] });
  });

  it("read and list documents of other iterations", async () => {
    const tenon = open();
    await answer(tenon, "save_idea_doc", { content: "old" });
    await answer(tenon, "start_iteration");
    expect(await answer(tenon, "list_artifacts")).toMatchObject({ count: 0 });
    expect(await answer(tenon, "list_artifacts", { iteration: "all" })).toMatchObject({ count: 1 });
    expect(await answer(tenon, "list_artifacts", { iteration: "nowhere" })).toMatchObject({ count: 0 });
    expect(await answer(tenon, "read_artifact", { name: "idea", iteration: "iteration-1" })).toMatchObject({
      content: "old",
    });
  });

  it("write one file whole at a time, however many calls come together", async () => {
    const tenon = open();
    const requests = Array.from({ length: 10 }, (_, n) => ({
      name: "save_plan_doc",
      arguments: { content: `plan ${n}` },
    }));
    const answers = await tenon.callMany(requests);
    expect(answers.map(({ result }) => (result as { version: number }).version)).toEqual(
      requests.map((_, n) => n + 1),
    );
    expect(await answer(tenon, "read_artifact", { name: "plan" })).toMatchObject({ content: "plan 9" });
  });
});

describe("prdMarkdown", () => {
  const record = { description: "", iterationId: "iteration-1", createdAt: 0, updatedAt: 0 };

  it("orders by priority, links both ways and names what has no feature", () => {
    const markdown = prdMarkdown({
      title: "Shop\n# injected",
      requirements: [
        { ...record, id: "R1", title: "Later", priority: "low" },
        { ...record, id: "R2", title: "Soon", description: "Very.", priority: "high" },
      ],
      features: [{ ...record, id: "F1", title: "Cart", requirementIds: ["R2"] }],
    });
    expect(markdown).toBe(
      [
        "# Product requirements: Shop # injected",
        "## High-priority requirements",
        "### R2: Soon",
        "Very.",
        "Features: F1",
        "## Low-priority requirements",
        "### R1: Later",
        "## Features",
        "### F1: Cart",
        "Meets: R2",
        "## Requirements without a feature",
        "- R1: Later\n",
      ].join("\n\n"),
    );
  });
});
