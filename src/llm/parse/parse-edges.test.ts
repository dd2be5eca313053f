import { describe, expect, it } from "vitest";
import { parseToolCalls } from "./parse-tool-calls.js";
import { parseBriefly } from "../testing/parse-briefly.js";

const json = '{"name":"read_file","arguments":{"path":"a"}}';
const read = ["read_file", { path: "a" }];

describe("an element that only shows something", () => {
  const examples = "example examples pre code blockquote";
  const results =
    "tool_result tool_results tool_response tool_responses tool_output function_result function_results function_response observation";

  it.each(`${examples} ${results}`.split(" "))("holds no call: <%s>", (name) => {
    const text = `<${name}><tool_call>${json}</tool_call></${name}>`;
    expect(parseBriefly(text)).toEqual({ calls: [], problems: [], rest: text });
    expect(parseBriefly(`${text}\n<tool_call>${json}</tool_call>`).calls).toEqual([read]);
  });

  it("is a quoted line, up to its end or that of the text", () => {
    const quoted = `> <tool_call>${json}</tool_call>`;
    expect(parseBriefly(quoted)).toEqual({ calls: [], problems: [], rest: quoted });
    expect(parseBriefly(`${quoted}\n<tool_call>${json}</tool_call>`).calls).toEqual([read]);
  });
});

describe("a fence", () => {
  it.each([
    ["a list", "json", `[${json},${json}]`, [read, read]],
    ["a list for calls", "tool_call", `[${json}]`, [read]],
    [
      "a call behind special tokens",
      "tool_call",
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|><|tool_calls_section_end|>',
      [read],
    ],
  ])("may hold %s", (_, language, inside, calls) => {
    expect(parseBriefly(`\`\`\`${language}\n${inside}\n\`\`\``)).toEqual({ calls, problems: [], rest: "" });
  });

  it("that is broken does not take what follows with it", () => {
    const broken = '```tool_call\n{"name":"read_file","arguments":{"path":"a\n```\n';
    const { calls, problems } = parseBriefly(`${broken}<tool_call>${json}</tool_call>`);
    expect(problems).toHaveLength(1);
    expect(calls).toEqual([read]);
  });
});

describe("a message in JSON", () => {
  it.each(["role", "content", "refusal", "index", "finish_reason", "reasoning_content"])(
    "may have %j beside its calls",
    (key) => {
      const message = { [key]: null, tool_calls: [JSON.parse(json) as object] };
      expect(parseBriefly(JSON.stringify(message)).calls).toEqual([read]);
    },
  );

  it.each([
    ['{"path":"a"}', [read], []],
    ['{"path":"a"} and more', [], 1],
    ["{'path': 'a'} // a comment", [read], []],
  ])("has arguments as one value in a string: %s", (text, calls, problems) => {
    const found = parseBriefly(JSON.stringify({ name: "read_file", arguments: text }));
    expect(found.calls).toEqual(calls);
    expect(found.problems).toHaveLength(Array.isArray(problems) ? 0 : 1);
  });
});

describe("tags", () => {
  it("may name the tool in an attribute of the inner element", () => {
    const text =
      '<tool_call><function name="read_file"><parameter name="path">a</parameter></function></tool_call>';
    expect(parseBriefly(text)).toMatchObject({ calls: [read], problems: [] });
  });

  it("are incomplete where a CDATA section does not end", () => {
    const text = "<read_file><path><![CDATA[a</path></read_file>";
    expect(parseBriefly(text)).toMatchObject({ calls: [], problems: ["incomplete"] });
    expect(parseBriefly("<read_file><path><![CDATA[a]]></path></read_file>").calls).toEqual([read]);
    expect(parseBriefly("<read_file><path><![CDATA[a]]><![CDATA[b]]></path></read_file>").calls).toEqual([
      ["read_file", { path: "ab" }],
    ]);
  });
});

describe("a call with more than its arguments", () => {
  it.each([
    ["an argument of the tool", '{"name":"read_file","start_line":2,"arguments":{"path":"a"}}'],
    ["something unknown", '{"name":"read_file","a":1,"arguments":{"path":"a"}}'],
    [
      "an argument beside a wrapper",
      '{"function_call":{"name":"read_file","arguments":{"path":"a"}},"start_line":2}',
    ],
  ])("is reported, not run without it: %s", (_, text) => {
    expect(parseBriefly(`<tool_call>${text}</tool_call>`)).toMatchObject({
      calls: [],
      problems: ["ambiguous"],
    });
  });

  it.each(["thought", "reasoning", "explanation", "id", "type", "status", "thoughtSignature"])(
    "may say something about itself: %s",
    (key) => {
      const text = JSON.stringify({ name: "read_file", arguments: { path: "a" }, [key]: "text" });
      expect(parseBriefly(`<tool_call>${text}</tool_call>`)).toMatchObject({ calls: [read], problems: [] });
    },
  );

  it.each([
    '<invoke name="read_file">{"path":"a"}<parameter name="start_line">2</parameter></invoke>',
    '<invoke name="read_file">{"path":"a"}<parameter name="start_line">2</parameter>',
    '<function_calls><invoke name="read_file">{"path":"a"}<parameter name="start_line">2</parameter></function_calls>',
    '<tool_call>read_file\n{"path":"a"}<arg_key>start_line</arg_key><arg_value>2</arg_value>',
  ])("in JSON and in tags is reported, closed or not: %s", (text) => {
    expect(parseBriefly(text)).toMatchObject({ calls: [], problems: ["ambiguous"] });
  });
});

describe("what the caller gives", () => {
  const call = '<tool_call name="count"><parameter name="n">3</parameter></tool_call>';

  it("types a text by a reference into the tool's own schema, and leaves it a text without one", () => {
    const inputSchema = { properties: { n: { $ref: "#/$defs/n" } }, $defs: { n: { type: "integer" } } };
    expect(parseToolCalls(call, { tools: [{ name: "count", inputSchema }] }).calls).toMatchObject([
      { arguments: { n: 3 } },
    ]);
    for (const options of [{ tools: [{ name: "count" }] }, {}])
      expect(parseToolCalls(call, options).calls).toMatchObject([{ arguments: { n: "3" } }]);
  });

  it("is refused where it is misspelt", () => {
    expect(() => parseToolCalls(call, { maxCall: 1 } as never)).toThrow(
      'Unknown option "maxCall" for parseToolCalls.',
    );
  });

  it("may fail: that is no problem of the text", () => {
    const inputSchema = {
      get properties(): never {
        throw new Error("no schema today");
      },
    };
    expect(() => parseToolCalls(call, { tools: [{ name: "count", inputSchema }] })).toThrow(
      "no schema today",
    );
  });
});
