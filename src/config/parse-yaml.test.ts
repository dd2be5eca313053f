import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseYaml } from "./parse-yaml.js";
import { pathKey, positionsIn } from "./source.js";

describe("parseYaml", () => {
  it("gives plain data and where each key stands", async () => {
    const text = "mode: ask\ntools:\n  timeout: 5\n  enabled:\n    - read_*\n";
    const { value, faults, offsets } = parseYaml(text);
    expect(faults).toEqual([]);
    expect(value).toEqual({ mode: "ask", tools: { timeout: 5, enabled: ["read_*"] } });
    const place = positionsIn(text);
    expect(place(offsets.get(pathKey(["tools", "timeout"]))?.key ?? -1)).toEqual({ line: 3, column: 3 });
    expect(place(offsets.get(pathKey(["tools", "enabled", 0]))?.value ?? -1)).toEqual({ line: 5, column: 7 });
  });

  it("follows anchors and aliases, each to the anchor before it", async () => {
    const { value } = parseYaml("a: &x [&y 1]\nb: &y 2\nc: *x\nd: *y\n");
    expect(value).toEqual({ a: [1], b: 2, c: [1], d: 2 });
  });

  it("takes a file of comments only as an empty configuration", async () => {
    expect(parseYaml("# nothing yet\n")).toMatchObject({ value: {}, faults: [] });
  });

  it.each([
    ["a: [1\n", "invalid YAML"],
    ["a: 1\na: 2\n", "duplicate key"],
    ["a: 1\n'a': 2\n", "duplicate key"],
    ["__proto__: {x: 1}\n", "not allowed"],
    ["b:\n  constructor: {}\n", "not allowed"],
    ["? [a]\n: 1\n", "key must be text"],
    ["a: !!js/function 'x'\n", "invalid YAML"],
    ["a: !!binary aGk=\n", "expected text"],
    ["a: 1\n---\nb: 2\n", "invalid YAML"],
    ["a: *nothing\n", "no anchor"],
    ["\ta: 1\n", "invalid YAML"],
  ])("refuses %j", async (text, message) => {
    const { faults } = parseYaml(text);
    expect(faults[0]?.message).toContain(message);
  });

  it("stops aliases that multiply", async () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 12; i += 1) lines.push(`a${i}: &a${i} [${`*a${i - 1}, `.repeat(10)}]`);
    const { faults } = parseYaml(lines.join("\n"));
    expect(faults[0]?.message).toContain("too large");
  });

  it("stops an alias that holds itself", async () => {
    const { faults } = parseYaml("a: &a [*a, *a]\n");
    expect(faults[0]?.message).toContain("too");
  });

  it.each([
    ["flow lists", "[".repeat(300_000)],
    ["flow maps", "{a: ".repeat(200_000)],
    ["lists in one line", "- ".repeat(300_000)],
    ["keys in one line", "a: ".repeat(200_000)],
    ["explicit keys", "? ".repeat(300_000)],
    ["empty keys", ": ".repeat(300_000)],
    ["indentation", Array.from({ length: 1400 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    ["nested list items", Array.from({ length: 1000 }, (_, i) => `${" ".repeat(i)}-`).join("\n")],
    ["flow across lines", "[\n".repeat(300_000)],
    ["too many closers", "]".repeat(1_000_000)],
    ["too many entries", `[${"a,".repeat(500_000)}]`],
    ["explicit keys in a flow", `[${"? ".repeat(200_000)}]`],
    ["pairs in a flow", `[${"a: ".repeat(150_000)}]`],
    ["fewer explicit keys in a flow", `[${"? ".repeat(60_000)}]`],
    ["fewer pairs in a flow", `[${"a: ".repeat(40_000)}]`],
    ["tags", `[${"!t ".repeat(60_000)}]`],
    ["unclosed quotes in a list", "- 'a\n".repeat(10_001)],
    ["anchors", "&a ".repeat(300_000)],
  ])("refuses hostile %s quickly", async (_name, text) => {
    const { faults } = parseYaml(text);
    expect(faults.length).toBeGreaterThan(0);
  });

  it("counts the offset of an excess right", async () => {
    const text = `ok: "text"\nlist: ${"[".repeat(100)}`;
    const { faults } = parseYaml(text);
    expect(positionsIn(text)(faults[0]?.offset ?? -1)).toEqual({ line: 2, column: 7 + 64 });
  });

  it("reads all JSON data as JSON does", async () => {
    const data = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 3 }));
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        const text = JSON.stringify(value, null, 2);
        if (/__proto__|constructor|prototype/.test(text)) return;
        const parsed = parseYaml(text);
        expect(parsed.faults).toEqual([]);
        expect(parsed.value).toEqual(JSON.parse(text));
      }),
    );
  });
});
