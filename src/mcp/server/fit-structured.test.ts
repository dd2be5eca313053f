import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitStructured } from "./fit-structured.js";

describe("fitStructured", () => {
  it("leaves what fits as it is", () => {
    const result = { path: "a", content: "x".repeat(500), list: [1, 2] };
    expect(fitStructured(result, 10_000)).toEqual({ value: result, shortened: false });
  });

  it("cuts long texts in their middle and leaves the short ones", () => {
    const { value, shortened } = fitStructured({ path: "a.txt", content: "head".repeat(50_000) }, 10_000);
    const { path, content } = value as { path: string; content: string };
    expect(shortened).toBe(true);
    expect(path).toBe("a.txt");
    expect(content).toMatch(/^head[^]*characters left out[^]*head$/);
    expect(content.length).toBeLessThan(10_000);
  });

  it("cuts lists where texts are not what is large, and keeps the shape", () => {
    const files = Array.from({ length: 50_000 }, (_, at) => ({ name: `f${at}`, size: at }));
    const { value } = fitStructured({ files, truncated: false }, 10_000);
    expect(JSON.stringify(value).length).toBeLessThan(12_000);
    expect(value).toMatchObject({
      files: expect.arrayContaining([{ name: "f0", size: 0 }]),
      truncated: false,
    });
  });

  it("comes within the size for any result that has its bulk in texts or lists", () => {
    const plain = fc.record({
      text: fc.string({ maxLength: 3000 }),
      list: fc.array(fc.record({ a: fc.string({ maxLength: 400 }), n: fc.integer() }), { maxLength: 60 }),
    });
    fc.assert(
      fc.property(plain, (result) => {
        const { value } = fitStructured(result, 1000);
        expect(JSON.stringify(value).length).toBeLessThan(4000);
        expect(Object.keys(value as object)).toEqual(["text", "list"]);
      }),
    );
  });
});
