import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printToolCall, promptFormats } from "../print-tool-call.js";
import { fixtures, fixtureTools } from "../testing/malformed-calls.js";
import { parseToolCalls } from "./parse-tool-calls.js";
import { randomCases } from "../../../test/setup/random-cases.js";
import { anyCharacter } from "../../../test/setup/any-character.js";

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string(),
  fc
    .array(
      fc.constantFrom(
        "</parameter>",
        "</tool_call>",
        "<think>",
        "</think>",
        "]]>",
        "&lt;",
        "&",
        "```",
        "\n",
        "\r",
        " ",
        "<",
        '"',
        "\\",
        "\u0000",
        "\ud800",
        "[TOOL_CALLS]",
        "{",
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join("")),
);
const args = fc.dictionary(text, fc.oneof(json, text), { maxKeys: 5 });
const call = fc.record({
  name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_:-]{0,40}$/),
  arguments: args,
  id: fc.stringMatching(/^[a-z0-9_-]{1,20}$/),
});

describe("calls in fences", () => {
  const fence = '```json\n{"name":"read_file","arguments":{"path":"a.txt"}}\n```';
  const xml = '```xml\n<tool_call name="read_file"><parameter name="path">a.txt</parameter></tool_call>\n```';

  it.each([
    `For example:\n${fence}`,
    `${fence}\nThat is how it is called.`,
    `See:\n${xml}`,
    `${fence}\nor\n${fence}`,
  ])("are examples where they stand in prose, unless the caller says so: %j", (text) => {
    const { calls, text: rest } = parseToolCalls(text, { tools: fixtureTools });
    expect(calls).toEqual([]);
    expect(rest).toBe(text);
    const run = parseToolCalls(text, { tools: fixtureTools, fences: true });
    expect(run.calls[0]).toMatchObject({ name: "read_file", arguments: { path: "a.txt" } });
  });

  it("are calls where the answer has nothing else", () => {
    expect(parseToolCalls(`${fence}\n\n${fence}`, { tools: fixtureTools }).calls).toHaveLength(2);
  });
});

describe("parseToolCalls", () => {
  it.each(fixtures)("reads: $title", ({ text: written, calls, problems = [], rest }) => {
    const parsed = parseToolCalls(written, { tools: fixtureTools });
    expect(parsed.calls.map(({ name, arguments: values }) => [name, values])).toEqual(calls);
    expect(parsed.problems.map(({ code }) => code)).toEqual(problems);
    if (rest !== undefined) expect(parsed.text).toBe(rest);
  });

  it.each(promptFormats)("reads back every call that is printed as %s", (format) => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (calls) => {
        const printed = calls.map((one) => printToolCall(one, format)).join("\n");
        const parsed = parseToolCalls(`Now I call.\n${printed}\nThen I wait.`);
        expect(parsed.problems).toEqual([]);
        expect(
          parsed.calls.map(({ id, name, arguments: values }) => ({ id, name, arguments: values })),
        ).toEqual(calls);
      }),
      { numRuns: randomCases(150) },
    );
  });

  it("never fails, and never takes a call out of text that begins none", () => {
    fc.assert(
      fc.property(
        fc.array(text).map((parts) => parts.join("")),
        (written) => {
          const { calls, text: rest } = parseToolCalls(written, { tools: fixtureTools });
          expect(calls).toEqual([]);
          expect(written.length >= rest.length).toBe(true);
        },
      ),
    );
  });

  it("gives the same answer when calls are cut off anywhere: none that was not whole", () => {
    const whole = printToolCall(
      { name: "write_file", arguments: { path: "a.txt", content: "one two" } },
      "xml",
    );
    for (let end = 0; end < whole.length; end++) {
      const { calls } = parseToolCalls(whole.slice(0, end), { tools: fixtureTools });
      for (const one of calls) {
        expect(["a.txt", undefined]).toContain(one.arguments["path"]);
        expect(["one two", undefined]).toContain(one.arguments["content"]);
      }
    }
  });

  const hostile: readonly (readonly [string, string])[] = [
    ["<", "<"],
    ["tags", "<a>"],
    ["open calls", "<tool_call>"],
    ["open calls with JSON", '<tool_call>{"a":'],
    ["open parameters", '<invoke name="x"><parameter name="y">'],
    ["attributes", '<a b="'],
    ["brackets", "{"],
    ["lines of objects", '{"a":\n'],
    ["lines of single quotes", "{'\n"],
    ["lines of escapes", "{'\\'\n"],
    ["lists", "[\n"],
    ["lines of lists", "[f(\n"],
    ["fences", "```\n"],
    ["json fences", '```json\n{"name":\n'],
    ["backticks", "`` ` "],
    ["thoughts", "<think>"],
    ["thought ends", "</think>"],
    ["CDATA", "<tool_call><a><![CDATA["],
    ["tokens", "[TOOL_CALLS]["],
    ["comments", "{/*\n"],
    ["hash comments", "[#\n"],
    ["ReAct", "Action: x\nAction Input: {\n"],
    ["DeepSeek", `<\uff5ctool\u2581call\u2581begin\uff5c>`],
    ["ampersands", '<invoke name="x"><parameter name="y">&amp;</parameter></invoke>'],
    ["spaces", "<tool_call> "],
    ["deep", '<tool_call>{"a":['],
  ];

  it.each(hostile)("takes linear time on a megabyte of %s", (_, piece) => {
    const small = piece.repeat(Math.ceil(20_000 / piece.length));
    parseToolCalls(small, { tools: fixtureTools });
    const written = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const from = process.cpuUsage(); // of this process, whatever else the machine does
    const { problems } = parseToolCalls(written, { tools: fixtureTools });
    expect(process.cpuUsage(from).user / 1000).toBeLessThan(6000);
    expect(problems.length).toBeLessThanOrEqual(32);
  });

  it("takes no more calls than it may and says so", () => {
    const one = '<tool_call>{"name":"current_time","arguments":{}}</tool_call>';
    const { calls, problems } = parseToolCalls(one.repeat(5), { maxCalls: 3 });
    expect(calls).toHaveLength(3);
    expect(problems).toMatchObject([{ code: "limit" }]);
  });

  it("takes 128 calls where no limit is given, and tells of the first beyond it where that stood", () => {
    const one = '<tool_call>{"name":"current_time","arguments":{}}</tool_call>';
    expect(parseToolCalls(one.repeat(128))).toMatchObject({ problems: [] });
    const { calls, problems } = parseToolCalls(one.repeat(130));
    expect(calls).toHaveLength(128);
    expect(problems).toMatchObject([{ code: "limit", start: 128 * one.length }]);
    expect(calls[127]).toMatchObject({ start: 127 * one.length, end: 128 * one.length });
  });

  it("reports 32 problems at most, each with where it stood and how the piece begins", () => {
    const broken =
      '<tool_call>{"name":"current_time","arguments":{"text":"a long argument that is cut off before its end </tool_call>\n';
    const { calls, problems } = parseToolCalls(`Well.\n${broken}`, { tools: fixtureTools });
    expect(calls).toEqual([]);
    expect(problems).toMatchObject([{ start: 6, excerpt: broken.slice(0, 80) }]);
    const wrong = '<tool_call>{"name":"current_time","arguments":[1]}</tool_call>\n';
    expect(parseToolCalls(wrong.repeat(40), { tools: fixtureTools }).problems.length).toBeLessThanOrEqual(32);
  });

  it.each(["functions.", "default_api.", "tools.", "tool.", "namespace functions."])(
    "takes %j off a name, of a tool that is known or not",
    (prefix) => {
      const written = `<tool_call>${JSON.stringify({ name: `${prefix}read_file`, arguments: { path: "a" } })}</tool_call>`;
      const tools = [{ name: "read_file" }];
      expect(parseToolCalls(written, { tools }).calls).toMatchObject([{ name: "read_file" }]);
      expect(parseToolCalls(written).calls).toMatchObject([{ name: "read_file" }]);
      const dotted = [{ name: `${prefix}read_file` }, { name: "read_file" }];
      expect(parseToolCalls(written, { tools: dotted }).calls).toMatchObject([
        { name: `${prefix}read_file` },
      ]);
    },
  );

  it("does not reach prototypes", () => {
    const { calls } = parseToolCalls(
      '{"name":"read_file","arguments":{"__proto__":{"polluted":1},"path":"a"}}',
    );
    expect(Object.getPrototypeOf(calls[0]?.arguments)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(Object.hasOwn(calls[0]?.arguments ?? {}, "__proto__")).toBe(true);
  });
});

describe("text that is not the model's own step", () => {
  const call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>';

  it.each([
    ["an analysis", `<analysis>${call}</analysis>Done.`],
    ["an analysis that began before", `${call}</analysis>Done.`],
    ["an observation", `Observation: ${call}\n${call}\nFinal Answer: Done.`],
    ["an observation with bare JSON", 'Observation:\n{"name": "f", "arguments": {}}\nThought: Done.'],
  ])("has no calls: %s", (_, text) => {
    expect(parseToolCalls(text)).toMatchObject({ calls: [], problems: [] });
  });

  it("ends where the model acts again", () => {
    const text = `Observation: ${call}\nThought: once more\nAction: f\nAction Input: {"a": 1}`;
    expect(parseToolCalls(text).calls).toMatchObject([{ name: "f", arguments: { a: 1 } }]);
  });
});

describe("a call whose arguments are cut off between two tags", () => {
  it.each([
    "<tool_call>\n<function=f>\n<parameter=p>a</parameter>",
    "<tool_call>\n<function=f>\n<parameter=p>a</parameter>\n",
    "<function=f><parameter=p>a</parameter>",
  ])("is a problem: %j", (text) => {
    expect(parseToolCalls(text)).toMatchObject({ calls: [], problems: [{ code: "incomplete" }] });
  });

  it("is whole where an element around it closes", () => {
    const text = "<tool_call><function=f><parameter=p>a</parameter></tool_call>";
    expect(parseToolCalls(text).calls).toMatchObject([{ name: "f", arguments: { p: "a" } }]);
  });
});
