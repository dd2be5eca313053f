import { describe, expect, it } from "vitest";
import type { Interact, Question } from "../../contract/ports/interact.js";
import { askForm } from "./form-questions.js";

type Answer = Awaited<ReturnType<Interact["ask"]>>;

/** Ask a form of a person who gives these answers in turn. */
async function ask(schema: unknown, ...answers: (string | boolean)[]) {
  const questions: Question[] = [];
  const interact = {
    ask: async (question: Question): Promise<Answer> => {
      questions.push(question);
      const answer = answers.shift() ?? "";
      return typeof answer === "boolean" ? { approved: answer } : { text: answer };
    },
  } as unknown as Interact;
  const result = await askForm("Who?", schema, { interact, signal: new AbortController().signal });
  return { result, questions };
}

function form(field: object, required: string[] = ["a"]) {
  return { type: "object", properties: { a: field }, required };
}

describe("a server's form", () => {
  it("without fields is a question of yes or no", async () => {
    expect((await ask({}, true)).result).toEqual({ action: "accept", content: {} });
    expect((await ask(undefined, false)).result).toEqual({ action: "decline" });
    expect((await ask({ properties: {} }, true)).questions).toEqual([{ kind: "confirm", message: "Who?" }]);
  });

  it.each<[object, string | boolean, unknown]>([
    [{ type: "string" }, " Ann ", "Ann"],
    [{ type: "number" }, "1.5", 1.5],
    [{ type: "integer" }, "2", 2],
    [{ type: "boolean" }, "yes", true],
    [{ type: "boolean" }, "N", false],
    [{ type: "boolean" }, true, true],
    [{ type: "boolean" }, false, false],
    [{ type: "string", enum: ["x", "y"] }, "y", "y"],
    [{ oneOf: [{ const: "x", title: "The X" }] }, "The X", "x"],
    [{ oneOf: [{ const: "x", title: "The X" }] }, "x", "x"],
    [{ type: "array", items: { enum: ["x", "y", "z"] } }, "x, z", ["x", "z"]],
    [{ type: "array", items: { anyOf: [{ const: "x", title: "The X" }] } }, "The X", ["x"]],
  ])("%j takes %j", async (field, answer, value) => {
    expect((await ask(form(field), answer)).result).toEqual({ action: "accept", content: { a: value } });
  });

  it.each<[object, string]>([
    [{ type: "number" }, "many"],
    [{ type: "integer" }, "1.5"],
    [{ type: "boolean" }, "perhaps"],
    [{ type: "string", enum: ["x", "y"] }, "z"],
    [{ type: "array", items: { enum: ["x", "y"] } }, "x, q"],
  ])("%j does not take %j, and asks three times at most", async (field, answer) => {
    const { result, questions } = await ask(form(field), answer, answer, answer, answer);
    expect(result).toEqual({ action: "decline" });
    expect(questions).toHaveLength(3);
    expect(questions[0]?.message).not.toContain(answer);
    expect(questions[1]?.message).toContain(answer);
  });

  it("is declined where something needed is left empty, and goes on without what is optional", async () => {
    const schema = { properties: { a: { type: "string" }, b: { type: "string" } }, required: ["b"] };
    expect((await ask(schema, "", "b")).result).toEqual({ action: "accept", content: { b: "b" } });
    expect((await ask(schema, "a", "")).result).toEqual({ action: "decline" });
    const { questions } = await ask(schema, "a", "b");
    expect(questions.map(({ message }) => message.includes("optional"))).toEqual([true, false]);
  });

  it("takes the default for an empty answer, and shows it", async () => {
    const { result, questions } = await ask(form({ type: "string", default: "Ann" }), "");
    expect(result).toEqual({ action: "accept", content: { a: "Ann" } });
    expect(questions).toMatchObject([{ kind: "input", default: "Ann" }]);
    expect((await ask(form({ type: "integer", default: 3 }), " ")).questions).toMatchObject([
      { default: "3" },
    ]);
  });

  it("offers choices, and names them where several can be chosen", async () => {
    const [flag] = (await ask(form({ type: "boolean" }), true)).questions;
    expect(flag).toMatchObject({ kind: "ask", options: ["true", "false"] });
    const [one] = (await ask(form({ enum: ["x", 1, "y"] }), "x")).questions;
    expect(one).toMatchObject({ kind: "ask", options: ["x", "y"] });
    const [several] = (await ask(form({ type: "array", items: { enum: ["x", "y"] } }), "x")).questions;
    expect(several).toMatchObject({ kind: "input", message: expect.stringContaining("x, y") as string });
  });

  it("is asked by its title and description, without what cannot be seen", async () => {
    const field = { type: "string", title: "Na\u200bme", description: "of the\u202e person" };
    expect((await ask(form(field), "x")).questions[0]?.message).toBe("Who?\nName: of the person");
    expect((await ask(form({ type: "string", title: " " }), "x")).questions[0]?.message).toBe("Who?\na");
  });

  it("of more than twenty fields is declined unasked", async () => {
    const of = (count: number) => ({
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`f${at}`, { type: "string" }]),
      ),
    });
    expect((await ask(of(20))).questions).toHaveLength(20);
    expect(await ask(of(21))).toEqual({ result: { action: "decline" }, questions: [] });
  });
});
