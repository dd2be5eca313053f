import { describe, expect, it } from "vitest";
import { compileSchema } from "./compile-schema.js";
import { checkOf, messagesOf, object } from "./testing/check-json.js";

describe("the check of a hostile JSON Schema", () => {
  it("cannot hang by a catastrophic pattern", () => {
    const schema = object(
      { s: { type: "string", pattern: "^(([a-z]+)+)+$" } },
      { patternProperties: { "^(x+x+)+y$": { type: "number" } } },
    );
    const check = checkOf(schema);
    expect(check({ s: `${"a".repeat(5000)}!` }).ok).toBe(false);
    expect(check({ ["x".repeat(2000)]: 1 }).ok).toBe(true);
    expect(check({ s: "a".repeat(5000) }).ok).toBe(true);
  });

  it("cannot hang by branches that double at every level", () => {
    const twice = [
      { properties: { a: { $ref: "#" } }, required: ["x"] },
      { properties: { a: { $ref: "#" } }, required: ["y"] },
    ];
    let value: object = {};
    for (let level = 0; level < 60; level++) value = { a: value };
    expect(messagesOf({ type: "object", anyOf: twice }, value)[0]).toMatch(/too large or too deep/);
  });

  it("cannot hang by comparing all elements, or all values, with each other", () => {
    const items = Array.from({ length: 50_000 }, (_, index) => ({ index }));
    expect(compileSchema(object({ l: { type: "array", uniqueItems: true } })).check({ l: items }).ok).toBe(
      true,
    );
    const many = { enum: Array.from({ length: 20_000 }, (_, index) => ({ index })) };
    expect(messagesOf(object({ l: { items: many } }), { l: items })[0]).toMatch(/too large|expected one of/);
  });

  it("ends its answer where thousands of elements fail a union", () => {
    const schema = object({
      l: { type: "array", items: { anyOf: [{ type: "string" }, { type: "boolean" }] } },
    });
    const messages = messagesOf(schema, { l: Array.from({ length: 50_000 }, () => 5) });
    expect(messages[0]).toBe('"l[0]": expected string or boolean, received number (5)');
    expect(messages.length).toBeLessThan(60);
  });

  it("cannot turn the check into a promise", () => {
    const check = checkOf(object({ a: { type: "string" } }, { $async: true }));
    expect(check({ a: 5 }).ok).toBe(false);
  });

  it("cannot smuggle code through its words", () => {
    const evil = '"];globalThis.hacked=1;["';
    const schema = object(
      { [evil]: { type: "string", default: evil, description: evil, const: evil } },
      { required: [evil], $comment: evil },
    );
    expect(compileSchema(schema).check({}).ok).toBe(true);
    expect("hacked" in globalThis).toBe(false);
  });
});
