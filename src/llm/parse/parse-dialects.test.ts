import { describe, expect, it } from "vitest";
import { fixtureTools } from "../testing/malformed-calls.js";
import { parseBriefly } from "../testing/parse-briefly.js";
import { parseToolCalls } from "./parse-tool-calls.js";
import { Reader } from "./reader.js";
import { isInQuotes } from "./shown-text.js";

describe("a Python call", () => {
  it.each([
    ['[read_file(path="a")]', [], [["read_file", { path: "a" }]]],
    ['[read_file(path="a", start_line=1)]', [], [["read_file", { path: "a", start_line: 1 }]]],
    ['[read_file(path="a"', ["incomplete"], []],
    ["[read_file(path=", ["incomplete"], []],
    ['[read_file(path="a" start_line=1)]', ["malformed"], []],
    ['[read_file(path="a", path="b")]', ["ambiguous"], []],
    ['[read_file("a")]', ["ambiguous"], []],
  ])("%s", (text, problems, calls) => {
    expect(parseBriefly(text)).toMatchObject({ problems, calls });
  });
});

describe("a call behind a special token, or in a fence or a tag", () => {
  const json = '{"name":"read_file","arguments":{"path":"a"}}';
  const read = [["read_file", { path: "a" }]];

  it.each([
    ['<|python_tag|> read_file(path="a")', [], read],
    ["<|python_tag|>hello there", ["malformed"], []],
    ["<|tool_calls_section_begin|>hello<|tool_calls_section_end|>", ["malformed"], []],
    ['<tool_call>\n [read_file(path="a")]\n</tool_call>', [], read],
    ['<tool_call>{"name":"read_file"}</tool_call>', [], [["read_file", {}]]],
    ['<tool_call>{"name":"read_file","id":"1","type":"function"}</tool_call>', [], [["read_file", {}]]],
    ['<tool_call>{"name":"read_file","path":"a"}</tool_call>', ["ambiguous"], []],
    [
      '<tool_call><name>read_file</name><arguments>{"path":"a"}</arguments><path>b</path></tool_call>',
      ["ambiguous"],
      [],
    ],
    ['<read_file>{"path":"a"}', [], read],
    ["<read_file><path>a</path>", ["incomplete"], []],
    ["<read_file> is a tool", [], []],
    ["<read_file><path>&#x1F600;&#xe9;</path></read_file>", [], [["read_file", { path: "😀é" }]]],
  ])("%s", (text, problems, calls) => {
    expect(parseBriefly(text)).toMatchObject({ problems, calls });
  });

  it.each([
    ["json", []],
    ["tool_call", ["malformed"]],
  ])(
    "is none in a fence for %s that contains something else, whatever stands there",
    (language, problems) => {
      const text = `\`\`\`${language}\n${json}\nor <tool_call>${json}</tool_call>\n\`\`\`\nbye`;
      expect(parseBriefly(text)).toEqual({ calls: [], problems, rest: text });
    },
  );

  it("says what stands beside the name of a call without arguments", () => {
    const { problems } = parseToolCalls('<tool_call>{"name":"read_file","path":"a"}</tool_call>', {
      tools: fixtureTools,
    });
    expect(problems[0]?.message).toBe(
      'The call of "read_file" has no "arguments", but "path" beside its name.',
    );
  });
});

describe("an action", () => {
  it("is a call at the start of a line only, and only of a tool that is known", () => {
    const action = 'Action: read_file\nAction Input: {"path":"a"}';
    const call = ["read_file", { path: "a" }];
    expect(parseBriefly(action).calls).toEqual([call]);
    expect(parseBriefly(`Thought: I read.\n  ${action}`).calls).toEqual([call]);
    expect(parseBriefly(`So: ${action}`).calls).toEqual([]);
    expect(parseBriefly(action.replace("read_file", "unknown"))).toEqual({
      calls: [],
      problems: [],
      rest: action.replace("read_file", "unknown"),
    });
    expect(parseBriefly("Action: read_file\nAction Input: 1").problems).toEqual(["malformed"]);
    expect(parseBriefly('read_file\nAction Input: {"path":"a"}').calls).toEqual([]);
  });
});

describe("what a model quotes", () => {
  const call = '{"name":"read_file","arguments":{"path":"a"}}';

  it.each([
    ["'", "'"],
    ['"', '"'],
    ["\u201c", "\u201d"],
    ["\u2018", "\u2019"],
    ["\u00ab", "\u00bb"],
  ])("between %s and %s is a part of its sentence", (open, close) => {
    const text = `Write ${open}<tool_call>${call}</tool_call>${close} to call it.`;
    expect(parseBriefly(text)).toEqual({ calls: [], problems: [], rest: text });
    const start = text.indexOf("<tool_call>");
    const end = text.indexOf("</tool_call>") + "</tool_call>".length;
    expect(isInQuotes(text, start, end)).toBe(true);
    expect(isInQuotes(text, start + 1, end)).toBe(false);
    expect(isInQuotes(text, start, end - 1)).toBe(false);
    // A call that is the whole text is one, though it stands in quotation marks.
    expect(isInQuotes(`${open}x${close}`, 1, 2)).toBe(false);
    expect(isInQuotes(`${open}x${close} y`, 1, 2)).toBe(true);
    expect(isInQuotes(`y ${open}x${close}`, 3, 4)).toBe(true);
  });

  it("in a thought is none, also where the thought began before the text", () => {
    expect(parseBriefly(`<think>${call}</think>Done.`)).toMatchObject({ calls: [], rest: "Done." });
    expect(parseBriefly(`I could write\n${call}\n</think>Done.`)).toMatchObject({ calls: [], rest: "Done." });
  });
});

describe("arguments that are written in two ways", () => {
  const json = '{"path":"a"}';

  it.each([
    `<invoke name="read_file">${json}<parameter name="start_line">2</parameter></invoke>`,
    `<invoke name="read_file">{}<parameter name="path">a</parameter></invoke>`,
    `<tool_call>{"name":"read_file","arguments":${json}}<arg_key>start_line</arg_key><arg_value>2</arg_value></tool_call>`,
    `<invoke name="read_file">${json}<arguments>{"start_line":2}</arguments></invoke>`,
    `<invoke name="read_file"><arguments>${json}</arguments><arguments>{"start_line":2}</arguments></invoke>`,
    `<invoke name="read_file"><arguments>${json}</arguments><parameter name="start_line">2</parameter></invoke>`,
  ])("are not guessed at: %s", (text) => {
    expect(parseBriefly(text)).toMatchObject({ calls: [], problems: ["ambiguous"] });
  });

  it("are read where they say the same twice", () => {
    const twice = `<arguments>${json}</arguments>`.repeat(2);
    expect(parseBriefly(`<invoke name="read_file">${twice}</invoke>`)).toMatchObject({
      calls: [["read_file", { path: "a" }]],
      problems: [],
    });
  });
});

describe("an argument named like a part of a call", () => {
  const tools = [
    {
      name: "get_item",
      inputSchema: {
        type: "object",
        properties: { id: { type: "string" }, input: { type: "object" }, limit: { type: "number" } },
      },
    },
  ];
  const read = (text: string) =>
    parseToolCalls(text, { tools }).calls.map(({ id, arguments: values }) => ({ id, values }));

  it.each([
    "<get_item><id>5</id></get_item>",
    '<invoke name="get_item"><id>5</id></invoke>',
    "<tool_call><name>get_item</name><arguments><id>5</id></arguments></tool_call>",
    '<invoke name="get_item"><parameter name="id">5</parameter></invoke>',
  ])("is the argument: %s", (text) => {
    expect(read(text)).toEqual([{ id: undefined, values: { id: "5" } }]);
  });

  it("is the call's own where its name is written beside it", () => {
    const text =
      "<tool_call><id>c1</id><name>get_item</name><arguments><limit>3</limit></arguments></tool_call>";
    expect(read(text)).toEqual([{ id: "c1", values: { limit: 3 } }]);
  });

  it("keeps JSON in it", () => {
    const text = '<invoke name="get_item"><parameters><input>{"a":1}</input></parameters></invoke>';
    expect(read(text)).toEqual([{ id: undefined, values: { input: { a: 1 } } }]);
  });
});

describe("an element of tags", () => {
  const element = (inner: string) => `<tool_call><function=write_file>${inner}</function></tool_call>`;
  const argument = (name: string, text: string) => `<parameter=${name}>${text}</parameter>`;

  it("takes CDATA and escaped tags for text", () => {
    const inner = argument("path", "a") + argument("content", "<![CDATA[<parameter=x>]]>");
    expect(parseBriefly(element(inner)).calls).toEqual([
      ["write_file", { path: "a", content: "<parameter=x>" }],
    ]);
    const escaped = argument("path", "a") + argument("content", "&lt;b&gt; &amp;");
    expect(parseBriefly(element(escaped)).calls).toEqual([["write_file", { path: "a", content: "<b> &" }]]);
  });

  it("is not guessed at where it ends cannot be told", () => {
    const inner = argument("path", "a") + argument("content", "see <parameter=x>y</parameter> there");
    expect(parseBriefly(element(inner))).toMatchObject({ calls: [], problems: ["ambiguous"] });
    // The beginning of a longer name is no tag of that name.
    const longer = argument("path", "a") + argument("content", "<parameters> <parametered");
    expect(parseBriefly(element(longer)).calls).toEqual([
      ["write_file", { path: "a", content: "<parameters> <parametered" }],
    ]);
  });

  it("is incomplete where the text ends within it, and malformed where something else stands in it", () => {
    const begun = `<tool_call><function=write_file>${argument("path", "a")}`;
    expect(parseBriefly(`${begun}<param`).problems).toEqual(["incomplete"]);
    expect(parseBriefly(`${begun}and words</function></tool_call>`).problems).toEqual(["malformed"]);
    expect(parseBriefly(element(argument("path", "a") + argument("path", "b"))).problems).toEqual([
      "ambiguous",
    ]);
  });
});

describe("a reader", () => {
  it("knows the start of a line behind 64 spaces at most, and its end before 1,024", () => {
    const at = (text: string, pos: number): Reader => {
      const reader = new Reader(text);
      reader.pos = pos;
      return reader;
    };
    expect(at("", 0).startsLine).toBe(true);
    expect(at("a", 1).startsLine).toBe(false);
    expect(at("a\n \tb", 4).startsLine).toBe(true);
    expect(at("a\rb", 2).startsLine).toBe(true);
    expect(at(`\n${" ".repeat(64)}b`, 65).startsLine).toBe(true);
    expect(at(`\n${" ".repeat(65)}b`, 66).startsLine).toBe(false);
    expect(at("a", 1).endsLine).toBe(true);
    expect(at("a \t\nb", 1).endsLine).toBe(true);
    expect(at("a\rb", 1).endsLine).toBe(true);
    expect(at("a b", 1).endsLine).toBe(false);
    expect(at(`${" ".repeat(1024)}\n`, 0).endsLine).toBe(true);
    expect(at(`${" ".repeat(1026)}\n`, 0).endsLine).toBe(false);
  });
});

describe("a call in JSON", () => {
  const call = ["read_file", { path: "a" }];
  const fields = { name: "read_file", arguments: { path: "a" } };

  it.each(["name", "tool", "tool_name", "toolName", "function", "function_name", "action"])(
    "may call the tool's name %j",
    (key) => {
      expect(parseBriefly(JSON.stringify({ [key]: "read_file", arguments: { path: "a" } })).calls).toEqual([
        call,
      ]);
    },
  );

  it.each([
    "arguments",
    "parameters",
    "args",
    "input",
    "params",
    "tool_input",
    "action_input",
    "tool_arguments",
    "kwargs",
  ])("may call the arguments %j", (key) => {
    expect(parseBriefly(JSON.stringify({ name: "read_file", [key]: { path: "a" } })).calls).toEqual([call]);
  });

  it.each(["tool_calls", "toolCalls", "function_calls", "calls"])("may stand in a list %j", (key) => {
    expect(
      parseBriefly(JSON.stringify({ role: "assistant", content: null, [key]: [fields, fields] })).calls,
    ).toEqual([call, call]);
    // A list next to something that no message has is not one of calls.
    expect(parseBriefly(JSON.stringify({ odd: 1, [key]: [fields] })).calls).toEqual([]);
  });

  it.each(["functionCall", "function_call", "tool_call", "toolCall", "tool_use", "toolUse"])(
    "may be wrapped in %j",
    (key) => {
      expect(parseBriefly(JSON.stringify({ [key]: fields })).calls).toEqual([call]);
    },
  );

  it("is not guessed at where some items of a list are calls and others are not", () => {
    expect(parseBriefly(JSON.stringify({ tool_calls: [fields, 1] }))).toMatchObject({
      calls: [],
      problems: ["malformed"],
    });
  });
});
