import { describe, expect, it } from "vitest";
import { fixtureTools } from "../testing/malformed-calls.js";
import { parseToolCalls, type ParseOptions } from "./parse-tool-calls.js";

/** Everything that is read from each text, in one line for each call, each problem and what is left. */
function readAll(texts: readonly string[], options: ParseOptions = { tools: fixtureTools }) {
  return texts.map((text) => {
    const { calls, problems, text: rest } = parseToolCalls(text, options);
    return [
      text,
      ...calls.map(
        ({ name, arguments: values, id, dialect, start, end }) =>
          `  ${name} ${JSON.stringify(values)}${id === undefined ? "" : ` #${id}`} (${dialect}, ${start} to ${end})`,
      ),
      ...problems.map(({ code, message, start }) => `  ${code} at ${start}: ${message}`),
      ...(rest === "" ? [] : [`  left: ${rest}`]),
    ].join("\n");
  });
}

const json = (fields: object) => `<tool_call>${JSON.stringify(fields)}</tool_call>`;
const args = { path: "a" };

describe("every way of writing a call is read in full or refused in plain words:", () => {
  it("names, arguments and ids in JSON", () => {
    const texts = [
      ...["name", "tool", "tool_name", "toolName", "function", "function_name", "action"].map((key) =>
        json({ [key]: "read_file", arguments: args }),
      ),
      ...[
        "parameters",
        "args",
        "input",
        "params",
        "tool_input",
        "action_input",
        "tool_arguments",
        "kwargs",
      ].map((key) => json({ name: "read_file", [key]: args })),
      ...["id", "call_id", "tool_call_id"].map((key) =>
        json({ name: "read_file", arguments: args, [key]: "c1" }),
      ),
      json({ name: "read_file", arguments: args, id: "" }),
      json({ name: "read_file", arguments: args, id: 7 }),
      json({ name: "read_file", index: 0, type: "function", call_id: "c", tool_call_id: "d" }),
      json({ type: "function", id: "c1", function: { name: "read_file", arguments: '{"path":"a"}' } }),
      ...["functionCall", "function_call", "tool_call", "toolCall", "tool_use", "toolUse"].map((key) =>
        json({ [key]: { name: "read_file", args }, id: "outer" }),
      ),
      json({ tool_use: { name: "read_file", input: args, id: "inner" } }),
      json({ read_file: args }),
      json({ read_file: args, more: 1 }),
      json({ nothing: args }),
      json({ name: "read_file", arguments: null }),
      json({ name: "read_file", arguments: "" }),
      json({ name: "function", tool: "read_file", arguments: args }),
      json({ name: " read_file ", arguments: args }),
      json({ name: "functions.read_file", arguments: args, thought: "t", description: "d" }),
    ];
    expect(readAll(texts).join("\n")).toMatchInlineSnapshot(`
      "<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 68)
      <tool_call>{"tool":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 68)
      <tool_call>{"tool_name":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 73)
      <tool_call>{"toolName":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 72)
      <tool_call>{"function":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 72)
      <tool_call>{"function_name":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 77)
      <tool_call>{"action":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 70)
      <tool_call>{"name":"read_file","parameters":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 69)
      <tool_call>{"name":"read_file","args":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 63)
      <tool_call>{"name":"read_file","input":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 64)
      <tool_call>{"name":"read_file","params":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 65)
      <tool_call>{"name":"read_file","tool_input":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 69)
      <tool_call>{"name":"read_file","action_input":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 71)
      <tool_call>{"name":"read_file","tool_arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 73)
      <tool_call>{"name":"read_file","kwargs":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 65)
      <tool_call>{"name":"read_file","arguments":{"path":"a"},"id":"c1"}</tool_call>
        read_file {"path":"a"} #c1 (<tool_call> with JSON, 0 to 78)
      <tool_call>{"name":"read_file","arguments":{"path":"a"},"call_id":"c1"}</tool_call>
        read_file {"path":"a"} #c1 (<tool_call> with JSON, 0 to 83)
      <tool_call>{"name":"read_file","arguments":{"path":"a"},"tool_call_id":"c1"}</tool_call>
        read_file {"path":"a"} #c1 (<tool_call> with JSON, 0 to 88)
      <tool_call>{"name":"read_file","arguments":{"path":"a"},"id":""}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 76)
      <tool_call>{"name":"read_file","arguments":{"path":"a"},"id":7}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 75)
      <tool_call>{"name":"read_file","index":0,"type":"function","call_id":"c","tool_call_id":"d"}</tool_call>
        read_file {} #c (<tool_call> with JSON, 0 to 104)
      <tool_call>{"type":"function","id":"c1","function":{"name":"read_file","arguments":"{\\"path\\":\\"a\\"}"}}</tool_call>
        read_file {"path":"a"} #c1 (<tool_call> with JSON, 0 to 115)
      <tool_call>{"functionCall":{"name":"read_file","args":{"path":"a"}},"id":"outer"}</tool_call>
        read_file {"path":"a"} #outer (<tool_call> with JSON, 0 to 93)
      <tool_call>{"function_call":{"name":"read_file","args":{"path":"a"}},"id":"outer"}</tool_call>
        read_file {"path":"a"} #outer (<tool_call> with JSON, 0 to 94)
      <tool_call>{"tool_call":{"name":"read_file","args":{"path":"a"}},"id":"outer"}</tool_call>
        read_file {"path":"a"} #outer (<tool_call> with JSON, 0 to 90)
      <tool_call>{"toolCall":{"name":"read_file","args":{"path":"a"}},"id":"outer"}</tool_call>
        read_file {"path":"a"} #outer (<tool_call> with JSON, 0 to 89)
      <tool_call>{"tool_use":{"name":"read_file","args":{"path":"a"}},"id":"outer"}</tool_call>
        read_file {"path":"a"} #outer (<tool_call> with JSON, 0 to 89)
      <tool_call>{"toolUse":{"name":"read_file","args":{"path":"a"}},"id":"outer"}</tool_call>
        read_file {"path":"a"} #outer (<tool_call> with JSON, 0 to 88)
      <tool_call>{"tool_use":{"name":"read_file","input":{"path":"a"},"id":"inner"}}</tool_call>
        read_file {"path":"a"} #inner (<tool_call> with JSON, 0 to 90)
      <tool_call>{"read_file":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 49)
      <tool_call>{"read_file":{"path":"a"},"more":1}</tool_call>
        malformed at 0: The JSON in <tool_call> is not a call: it has no tool name.
        left: <tool_call>{"read_file":{"path":"a"},"more":1}</tool_call>
      <tool_call>{"nothing":{"path":"a"}}</tool_call>
        malformed at 0: The JSON in <tool_call> is not a call: it has no tool name.
        left: <tool_call>{"nothing":{"path":"a"}}</tool_call>
      <tool_call>{"name":"read_file","arguments":null}</tool_call>
        read_file {} (<tool_call> with JSON, 0 to 60)
      <tool_call>{"name":"read_file","arguments":""}</tool_call>
        read_file {} (<tool_call> with JSON, 0 to 58)
      <tool_call>{"name":"function","tool":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 86)
      <tool_call>{"name":" read_file ","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 70)
      <tool_call>{"name":"functions.read_file","arguments":{"path":"a"},"thought":"t","description":"d"}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 110)"
    `);
  });

  it("what is wrong with JSON", () => {
    const long = "x".repeat(50);
    const texts = [
      json({ name: "read_file", arguments: [1] }),
      json({ name: "read_file", arguments: 1 }),
      json({ name: "read_file", arguments: "text" }),
      json({ name: "read_file", arguments: args, [long]: 1, b: 2, c: 3, d: 4, e: 5 }),
      json({ name: "read_file", arguments: args, path: "b", thought: "t" }),
      json({ name: "read_file", path: "a", [long]: 1, b: 2, c: 3, d: 4 }),
      json({ name: "read_file", tool: "write_file", arguments: args }),
      json({ name: "read_file", arguments: args, input: { path: "b" } }),
      json({ name: "read_file", arguments: args, input: args }),
      json({ function: { name: "read_file", arguments: args }, name: "write_file" }),
      json({
        function: { name: "read_file", arguments: args },
        tool_use: { name: "read_file", input: args },
      }),
      json({ name: "read_file", description: "d", parameters: { properties: {} } }),
      json({ arguments: args }),
      `<tool_call>[${JSON.stringify({ name: "read_file", arguments: args })}, 1]</tool_call>`,
      "<tool_call>[]</tool_call>",
      "<tool_call>7</tool_call>",
      '[{"name":"read_file","arguments":{}}, {"other": 1}]',
      '[{"other": 1}]',
      '{"name":"read_file","description":"d","parameters":{"properties":{}}}',
      '{"name":"read_file","arguments":{"path":"a"}',
      '{"name":"nothing","arguments":{"path":"a"',
    ];
    expect(readAll(texts).join("\n")).toMatchInlineSnapshot(`
      "<tool_call>{"name":"read_file","arguments":[1]}</tool_call>
        malformed at 0: The arguments of "read_file" are a list, not an object.
        left: <tool_call>{"name":"read_file","arguments":[1]}</tool_call>
      <tool_call>{"name":"read_file","arguments":1}</tool_call>
        malformed at 0: The arguments of "read_file" are a number, not an object.
        left: <tool_call>{"name":"read_file","arguments":1}</tool_call>
      <tool_call>{"name":"read_file","arguments":"text"}</tool_call>
        malformed at 0: The arguments of "read_file" are a string, not an object.
        left: <tool_call>{"name":"read_file","arguments":"text"}</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":"a"},"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx":1,"b":2,"c":3,"d":4,"e":5}</tool_call>
        ambiguous at 0: The call of "read_file" has "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "b", "c", "d" beside its arguments, not among them.
        left: <tool_call>{"name":"read_file","arguments":{"path":"a"},"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx":1,"b":2,"c":3,"d":4,"e":5}</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":"a"},"path":"b","thought":"t"}</tool_call>
        ambiguous at 0: The call of "read_file" has "path" beside its arguments, not among them.
        left: <tool_call>{"name":"read_file","arguments":{"path":"a"},"path":"b","thought":"t"}</tool_call>
      <tool_call>{"name":"read_file","path":"a","xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx":1,"b":2,"c":3,"d":4}</tool_call>
        ambiguous at 0: The call of "read_file" has no "arguments", but "path", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "b", "c" beside its name.
        left: <tool_call>{"name":"read_file","path":"a","xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx":1,"b":2,"c":3,"d":4}</tool_call>
      <tool_call>{"name":"read_file","tool":"write_file","arguments":{"path":"a"}}</tool_call>
        ambiguous at 0: The call names several tools: read_file, write_file.
        left: <tool_call>{"name":"read_file","tool":"write_file","arguments":{"path":"a"}}</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":"a"},"input":{"path":"b"}}</tool_call>
        ambiguous at 0: The call has different "arguments" and "input".
        left: <tool_call>{"name":"read_file","arguments":{"path":"a"},"input":{"path":"b"}}</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":"a"},"input":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 89)
      <tool_call>{"function":{"name":"read_file","arguments":{"path":"a"}},"name":"write_file"}</tool_call>
        ambiguous at 0: The call names several tools, one within the other.
        left: <tool_call>{"function":{"name":"read_file","arguments":{"path":"a"}},"name":"write_file"}</tool_call>
      <tool_call>{"function":{"name":"read_file","arguments":{"path":"a"}},"tool_use":{"name":"read_file","input":{"path":"a"}}}</tool_call>
        ambiguous at 0: The call names several tools, one within the other.
        left: <tool_call>{"function":{"name":"read_file","arguments":{"path":"a"}},"tool_use":{"name":"read_file","input":{"path":"a"}}}</tool_call>
      <tool_call>{"name":"read_file","description":"d","parameters":{"properties":{}}}</tool_call>
        malformed at 0: This describes the tool "read_file" and does not call it.
        left: <tool_call>{"name":"read_file","description":"d","parameters":{"properties":{}}}</tool_call>
      <tool_call>{"arguments":{"path":"a"}}</tool_call>
        malformed at 0: The JSON in <tool_call> is not a call: it has no tool name.
        left: <tool_call>{"arguments":{"path":"a"}}</tool_call>
      <tool_call>[{"name":"read_file","arguments":{"path":"a"}}, 1]</tool_call>
        malformed at 0: Some items of the list are calls and others are not.
        left: <tool_call>[{"name":"read_file","arguments":{"path":"a"}}, 1]</tool_call>
      <tool_call>[]</tool_call>
      <tool_call>7</tool_call>
        malformed at 0: <tool_call> contains text that is not a call.
        left: <tool_call>7</tool_call>
      [{"name":"read_file","arguments":{}}, {"other": 1}]
        left: [{"name":"read_file","arguments":{}}, {"other": 1}]
      [{"other": 1}]
        left: [{"other": 1}]
      {"name":"read_file","description":"d","parameters":{"properties":{}}}
        left: {"name":"read_file","description":"d","parameters":{"properties":{}}}
      {"name":"read_file","arguments":{"path":"a"}
        incomplete at 0: The text ends where "," or "}" should stand.
        left: {"name":"read_file","arguments":{"path":"a"}
      {"name":"nothing","arguments":{"path":"a"
        left: {"name":"nothing","arguments":{"path":"a""
    `);
  });

  it("messages of APIs, and objects on lines of their own", () => {
    const call = { name: "read_file", arguments: args };
    const bare = JSON.stringify(call);
    const texts = [
      ...["tool_calls", "toolCalls", "function_calls", "calls"].map((key) =>
        JSON.stringify({ role: "assistant", [key]: [call] }),
      ),
      JSON.stringify({ parts: [{ text: "hi" }, { functionCall: { name: "read_file", args } }] }),
      JSON.stringify({ calls: [call], other: 1 }),
      JSON.stringify({ calls: [call], tool_calls: [call] }),
      `${bare} ${bare};${bare}`,
      `${bare} and more`,
      `Text ${bare}`,
      `Text\n  ${bare}\nmore`,
      `${bare}\n${bare}`,
      `[${bare}, ${bare}]`,
      `${bare}, {"other": 1}`,
    ];
    expect(readAll(texts).join("\n")).toMatchInlineSnapshot(`
      "{"role":"assistant","tool_calls":[{"name":"read_file","arguments":{"path":"a"}}]}
        read_file {"path":"a"} (bare, 0 to 81)
      {"role":"assistant","toolCalls":[{"name":"read_file","arguments":{"path":"a"}}]}
        read_file {"path":"a"} (bare, 0 to 80)
      {"role":"assistant","function_calls":[{"name":"read_file","arguments":{"path":"a"}}]}
        read_file {"path":"a"} (bare, 0 to 85)
      {"role":"assistant","calls":[{"name":"read_file","arguments":{"path":"a"}}]}
        read_file {"path":"a"} (bare, 0 to 76)
      {"parts":[{"text":"hi"},{"functionCall":{"name":"read_file","args":{"path":"a"}}}]}
        read_file {"path":"a"} (bare, 0 to 83)
      {"calls":[{"name":"read_file","arguments":{"path":"a"}}],"other":1}
        left: {"calls":[{"name":"read_file","arguments":{"path":"a"}}],"other":1}
      {"calls":[{"name":"read_file","arguments":{"path":"a"}}],"tool_calls":[{"name":"read_file","arguments":{"path":"a"}}]}
        left: {"calls":[{"name":"read_file","arguments":{"path":"a"}}],"tool_calls":[{"name":"read_file","arguments":{"path":"a"}}]}
      {"name":"read_file","arguments":{"path":"a"}} {"name":"read_file","arguments":{"path":"a"}};{"name":"read_file","arguments":{"path":"a"}}
        read_file {"path":"a"} (bare, 0 to 137)
        read_file {"path":"a"} (bare, 0 to 137)
        read_file {"path":"a"} (bare, 0 to 137)
      {"name":"read_file","arguments":{"path":"a"}} and more
        left: {"name":"read_file","arguments":{"path":"a"}} and more
      Text {"name":"read_file","arguments":{"path":"a"}}
        left: Text {"name":"read_file","arguments":{"path":"a"}}
      Text
        {"name":"read_file","arguments":{"path":"a"}}
      more
        read_file {"path":"a"} (bare, 7 to 52)
        left: Text
        
      more
      {"name":"read_file","arguments":{"path":"a"}}
      {"name":"read_file","arguments":{"path":"a"}}
        read_file {"path":"a"} (bare, 0 to 45)
        read_file {"path":"a"} (bare, 46 to 91)
      [{"name":"read_file","arguments":{"path":"a"}}, {"name":"read_file","arguments":{"path":"a"}}]
        read_file {"path":"a"} (bare, 0 to 94)
        read_file {"path":"a"} (bare, 0 to 94)
      {"name":"read_file","arguments":{"path":"a"}}, {"other": 1}
        left: {"name":"read_file","arguments":{"path":"a"}}, {"other": 1}"
    `);
  });

  it("Python", () => {
    const texts = [
      '[read_file(path="a"), current_time()]',
      '<tool_call>x = read_file(path="a"); print(current_time())</tool_call>',
      "<tool_call>print(default_api.read_file(path='''a'''))</tool_call>",
      "<tool_call>await read_file(path='a')</tool_call>",
      "<tool_call>print(read_file(path='a')</tool_call>",
      "<tool_call>read_file(path=('a', 1), start_line = 2,)</tool_call>",
      "<tool_call>read_file(path='a') and more</tool_call>",
      "<tool_call>read_file(path=='a')</tool_call>",
      "<tool_call>read_file(path='a', path='a')</tool_call>",
      "[read_file(path='a') current_time()]",
      "[read_file(path='a'), 7]",
      "[read_file(path='a'),",
      "[read_file(path='a' x)]",
      "[unknown(path='a')]",
      "print('hello')",
    ];
    expect(readAll(texts).join("\n")).toMatchInlineSnapshot(`
      "[read_file(path="a"), current_time()]
        read_file {"path":"a"} ([f(a=1)], 0 to 37)
        current_time {} ([f(a=1)], 0 to 37)
      <tool_call>x = read_file(path="a"); print(current_time())</tool_call>
        read_file {"path":"a"} (<tool_call> with Python, 0 to 69)
        current_time {} (<tool_call> with Python, 0 to 69)
      <tool_call>print(default_api.read_file(path='''a'''))</tool_call>
        read_file {"path":"a"} (<tool_call> with Python, 0 to 65)
      <tool_call>await read_file(path='a')</tool_call>
        read_file {"path":"a"} (<tool_call> with Python, 0 to 48)
      <tool_call>print(read_file(path='a')</tool_call>
        incomplete at 0: A ")" is missing.
        left: <tool_call>print(read_file(path='a')</tool_call>
      <tool_call>read_file(path=('a', 1), start_line = 2,)</tool_call>
        read_file {"path":["a",1],"start_line":2} (<tool_call> with Python, 0 to 64)
      <tool_call>read_file(path='a') and more</tool_call>
        malformed at 0: Something else follows the call in <tool_call>.
        left: <tool_call>read_file(path='a') and more</tool_call>
      <tool_call>read_file(path=='a')</tool_call>
        ambiguous at 0: "read_file" gets a value without a name; write name=value.
        left: <tool_call>read_file(path=='a')</tool_call>
      <tool_call>read_file(path='a', path='a')</tool_call>
        ambiguous at 0: "read_file" gets "path" twice.
        left: <tool_call>read_file(path='a', path='a')</tool_call>
      [read_file(path='a') current_time()]
        malformed at 0: A list of calls lacks "," or "]".
        left: [read_file(path='a') current_time()]
      [read_file(path='a'), 7]
        malformed at 0: A list of calls contains something else.
        left: [read_file(path='a'), 7]
      [read_file(path='a'),
        malformed at 0: A list of calls contains something else.
        left: [read_file(path='a'),
      [read_file(path='a' x)]
        malformed at 0: The arguments of "read_file" lack ")".
        left: [read_file(path='a' x)]
      [unknown(path='a')]
        left: [unknown(path='a')]
      print('hello')
        left: print('hello')"
    `);
    expect(
      readAll(
        ["[unknown(path='a')]", '{"name":"unknown","arguments":{}}', '{"name":"unknown","arguments":{'],
        {},
      ).join("\n"),
    ).toMatchInlineSnapshot(`
      "[unknown(path='a')]
        unknown {"path":"a"} ([f(a=1)], 0 to 19)
      {"name":"unknown","arguments":{}}
        unknown {} (bare, 0 to 33)
      {"name":"unknown","arguments":{
        incomplete at 0: The text ends where a key or "}" should stand.
        left: {"name":"unknown","arguments":{"
    `);
  });

  it("special tokens", () => {
    const bar = "\uff5c";
    const low = "\u2581";
    const deep = (words: string) => `<${bar}tool${low}${words}${bar}>`;
    const texts = [
      '[TOOL_CALLS] [{"name":"read_file","arguments":{"path":"a"}}]</s>',
      '[TOOL_CALLS]read_file[CALL_ID]c1[ARGS]{"path":"a"}[TOOL_CALLS]current_time{}',
      "[TOOL_CALLS]7",
      "[TOOL_CALLS]read_file[ARGS][1]",
      '<|python_tag|>{"name":"read_file","parameters":{"path":"a"}}; {"name":"current_time","parameters":{}}<|eom_id|>',
      '<|python_tag|>{"other":1}',
      '<|tool_call_start|>[read_file(path="a")]<|tool_call_end|>',
      '<|tool_call_start|>[read_file(path="a")] more<|tool_call_end|>',
      '<|tool_call|>{"name":"read_file","arguments":{"path":"a"}}<|/tool_call|>',
      '<tool_call|>{"name":"read_file","arguments":{"path":"a"}}',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|><|tool_call_begin|>current_time:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>rest',
      "<|tool_calls_section_begin|><|tool_call_begin|>read_file",
      "<|tool_calls_section_begin|><|tool_call_begin|>read_file more",
      "<|tool_calls_section_begin|><|tool_call_begin|>7<|tool_call_argument_begin|>{}",
      '<|tool_calls_section_begin|><|tool_call_begin|>read_file:0<|tool_call_argument_begin|>{"path":"a"} more',
      '<|tool_calls_section_begin|><|tool_call_begin|>read_file:0<|tool_call_argument_begin|>{"path":"a"}',
      `${deep(`calls${low}begin`)}${deep(`call${low}begin`)}function${deep("sep")}read_file\n\`\`\`json\n{"path":"a"}\n\`\`\`${deep(`call${low}end`)}${deep(`calls${low}end`)}`,
      `${deep(`call${low}begin`)}read_file${deep("sep")}{"path":"a"}${deep(`call${low}end`)}`,
      `${deep(`calls${low}begin`)}more`,
      `${deep(`call${low}begin`)}read_file`,
      `${deep(`call${low}begin`)}read_file${deep("sep")}{"path":"a"} more`,
      '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a"}<|call|>',
      '<|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>{"path":"a"}',
      "<|channel|>commentary to=functions.read_file",
      "<|channel|>commentary to=functions.read_file more",
      "<|channel|>analysis<|message|>thinking<|end|>left",
      "<|begin_of_thought|>thinking<|end_of_thought|>left",
      "<|begin_of_thought|>thinking",
      "[THINK]thinking[/THINK]left",
    ];
    expect(readAll(texts).join("\n")).toMatchInlineSnapshot(`
      "[TOOL_CALLS] [{"name":"read_file","arguments":{"path":"a"}}]</s>
        read_file {"path":"a"} ([TOOL_CALLS], 0 to 64)
      [TOOL_CALLS]read_file[CALL_ID]c1[ARGS]{"path":"a"}[TOOL_CALLS]current_time{}
        read_file {"path":"a"} #c1 ([TOOL_CALLS], 0 to 76)
        current_time {} ([TOOL_CALLS], 0 to 76)
      [TOOL_CALLS]7
        malformed at 0: The call behind [TOOL_CALLS] names no tool.
        left: [TOOL_CALLS]7
      [TOOL_CALLS]read_file[ARGS][1]
        malformed at 0: The arguments are not an object.
        left: [TOOL_CALLS]read_file[ARGS][1]
      <|python_tag|>{"name":"read_file","parameters":{"path":"a"}}; {"name":"current_time","parameters":{}}<|eom_id|>
        read_file {"path":"a"} (<|python_tag|>, 0 to 111)
        current_time {} (<|python_tag|>, 0 to 111)
      <|python_tag|>{"other":1}
        malformed at 0: The JSON behind <|python_tag|> is not a call.
        left: <|python_tag|>{"other":1}
      <|tool_call_start|>[read_file(path="a")]<|tool_call_end|>
        read_file {"path":"a"} (<|tool_call_end|>, 0 to 57)
      <|tool_call_start|>[read_file(path="a")] more<|tool_call_end|>
        malformed at 0: There is unexpected text before <|tool_call_end|>.
        left: <|tool_call_start|>[read_file(path="a")] more<|tool_call_end|>
      <|tool_call|>{"name":"read_file","arguments":{"path":"a"}}<|/tool_call|>
        read_file {"path":"a"} (<|/tool_call|>, 0 to 72)
      <tool_call|>{"name":"read_file","arguments":{"path":"a"}}
        read_file {"path":"a"} (<|tool_call_end|>, 0 to 57)
      <|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|><|tool_call_begin|>current_time:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>rest
        read_file {"path":"a"} #functions.read_file:0 (<|tool_call_begin|>, 0 to 231)
        current_time {} #current_time:1 (<|tool_call_begin|>, 0 to 231)
        left: rest
      <|tool_calls_section_begin|><|tool_call_begin|>read_file
        incomplete at 0: Expected the arguments of a call.
        left: <|tool_calls_section_begin|><|tool_call_begin|>read_file
      <|tool_calls_section_begin|><|tool_call_begin|>read_file more
        malformed at 0: Expected the arguments of a call.
        left: <|tool_calls_section_begin|><|tool_call_begin|>read_file more
      <|tool_calls_section_begin|><|tool_call_begin|>7<|tool_call_argument_begin|>{}
        malformed at 0: Expected the arguments of a call.
        left: <|tool_calls_section_begin|><|tool_call_begin|>7<|tool_call_argument_begin|>{}
      <|tool_calls_section_begin|><|tool_call_begin|>read_file:0<|tool_call_argument_begin|>{"path":"a"} more
        malformed at 0: Expected <|tool_call_end|>.
        left: <|tool_calls_section_begin|><|tool_call_begin|>read_file:0<|tool_call_argument_begin|>{"path":"a"} more
      <|tool_calls_section_begin|><|tool_call_begin|>read_file:0<|tool_call_argument_begin|>{"path":"a"}
        read_file {"path":"a"} #read_file:0 (<|tool_call_begin|>, 0 to 98)
      <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file
      \`\`\`json
      {"path":"a"}
      \`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>
        read_file {"path":"a"} (DeepSeek tokens, 0 to 128)
      <｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path":"a"}<｜tool▁call▁end｜>
        read_file {"path":"a"} (DeepSeek tokens, 0 to 69)
      <｜tool▁calls▁begin｜>more
        malformed at 0: A section of calls contains something else.
        left: <｜tool▁calls▁begin｜>more
      <｜tool▁call▁begin｜>read_file
        incomplete at 0: Expected the name of a tool.
        left: <｜tool▁call▁begin｜>read_file
      <｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path":"a"} more
        malformed at 0: Expected the end of a call.
        left: <｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path":"a"} more
      <|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a"}<|call|>
        read_file {"path":"a"} (<|channel|>commentary, 0 to 93)
      <|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>{"path":"a"}
        read_file {"path":"a"} (<|channel|>commentary, 0 to 90)
      <|channel|>commentary to=functions.read_file
        incomplete at 0: Expected <|message|>.
        left: <|channel|>commentary to=functions.read_file
      <|channel|>commentary to=functions.read_file more
        malformed at 0: Expected <|message|>.
        left: <|channel|>commentary to=functions.read_file more
      <|channel|>analysis<|message|>thinking<|end|>left
        left: left
      <|begin_of_thought|>thinking<|end_of_thought|>left
        left: left
      <|begin_of_thought|>thinking
      [THINK]thinking[/THINK]left
        left: left"
    `);
  });

  it("tags", () => {
    const texts = [
      '<invoke name="read_file"><parameter name="path">\n a \n</parameter><parameter name="start_line">2</parameter></invoke>',
      '<invoke name="read_file"><parameter name="path">\r\na\r\n\t</parameter></invoke>',
      '<invoke name="read_file"><parameter name="path">a &lt;b&gt; &amp; &#65;&#x42;&quot;&apos;</parameter></invoke>',
      '<invoke name="read_file"><parameter name="path">a &lt; b & c</parameter></invoke>',
      '<invoke name="read_file"><parameter name="path">&#9999999;&#x10FFFF;</parameter></invoke>',
      '<invoke name="read_file"><parameter name="path"><![CDATA[a</parameter>]]> <![CDATA[b]]></parameter></invoke>',
      '<invoke name="read_file"><parameter name="path"><![CDATA[a',
      '<invoke name="search"><parameter name="query" type="json">{"a":1}</parameter></invoke>',
      '<invoke name="search"><parameter name="query" type="json">no</parameter></invoke>',
      "<function=read_file><parameter=path>a</parameter></function>",
      "<tool_call><function=read_file><parameter=path>a</parameter></function></tool_call>",
      "<tool_call><name>read_file</name><id>c1</id><path>a</path></tool_call>",
      '<tool_call><name>read_file</name><arguments>{"path":"a"}]},</arguments></tool_call>',
      "<tool_call><name>read_file</name><arguments><path>a</path></arguments></tool_call>",
      "<tool_call><name>search</name><query>x</query><input>y</input></tool_call>",
      '<tool_call><name>read_file</name><arguments>{"path":"a"}</arguments><arguments>{"path":"b"}</arguments></tool_call>',
      '<tool_call><name>read_file</name><arguments>{"path":"a"} more</arguments></tool_call>',
      "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value></tool_call>",
      "<tool_call>read_file\n<arg_key>path</arg_key>more</tool_call>",
      '<tool_call>read_file {"path":"a"}</tool_call>',
      "<tool_call>read_file</tool_call>",
      "<tool_call>some words</tool_call>",
      '<tool_call name="read_file" id="c1">{"path":"a"}</tool_call>',
      '<tool_call name="read_file" id="c1"/>',
      '<tool_call id="c1"/>',
      '<read_file path="a" start_line="3"/>',
      "<read_file><path>a</path><path>a</path></read_file>",
      "<read_file><path>a</path><path>b</path></read_file>",
      "<read_file>words <path>a</path></read_file>",
      "<read_file><path>a <path> b</path></read_file>",
      '<read_file><parameter name="path" name="b">a</parameter></read_file>',
      "<function_calls><invoke name='read_file'><parameter name=path>a</parameter></function_calls>",
      '<function_calls>{"name":"read_file","arguments":{"path":"a"}}</function_calls>',
      "<function_calls>words</function_calls>",
      '<invoke name="read_file"><parameter name="path">a</parameter>',
      '<invoke name="read_file">',
      '<invoke name="read_file"><parameter name="path">a',
      '<invoke name="read_file"><parameter name="pa',
      '<tool_call>{"name":"read_file","arguments":{"path":"a"}}<path>b</path></tool_call>',
      '<tool_call>{"name":"read_file","arguments":{"path":"a"}} words</tool_call>',
      '<tool_call>```json\n{"name":"read_file","arguments":{"path":"a"}}\n```</tool_call>',
      '<tool_call name="read_file">[1]</tool_call>',
      "<tool_call><tool_call><tool_call><tool_call><tool_call></tool_call>",
      '<parameter name="path">a</parameter>',
      "<read_file><path>a</path></read_file> words </parameter>",
    ];
    expect(readAll(texts).join("\n")).toMatchInlineSnapshot(`
      "<invoke name="read_file"><parameter name="path">
       a 
      </parameter><parameter name="start_line">2</parameter></invoke>
        read_file {"path":" a ","start_line":2} (<invoke> with tags, 0 to 116)
      <invoke name="read_file"><parameter name="path">
      a
      	</parameter></invoke>
        read_file {"path":"a"} (<invoke> with tags, 0 to 75)
      <invoke name="read_file"><parameter name="path">a &lt;b&gt; &amp; &#65;&#x42;&quot;&apos;</parameter></invoke>
        read_file {"path":"a <b> & AB\\"'"} (<invoke> with tags, 0 to 110)
      <invoke name="read_file"><parameter name="path">a &lt; b & c</parameter></invoke>
        read_file {"path":"a &lt; b & c"} (<invoke> with tags, 0 to 81)
      <invoke name="read_file"><parameter name="path">&#9999999;&#x10FFFF;</parameter></invoke>
        read_file {"path":"&#9999999;􏿿"} (<invoke> with tags, 0 to 89)
      <invoke name="read_file"><parameter name="path"><![CDATA[a</parameter>]]> <![CDATA[b]]></parameter></invoke>
        read_file {"path":"a</parameter>b"} (<invoke> with tags, 0 to 108)
      <invoke name="read_file"><parameter name="path"><![CDATA[a
        incomplete at 0: A CDATA section does not end.
        left: <invoke name="read_file"><parameter name="path"><![CDATA[a
      <invoke name="search"><parameter name="query" type="json">{"a":1}</parameter></invoke>
        search {"query":{"a":1}} (<invoke> with tags, 0 to 86)
      <invoke name="search"><parameter name="query" type="json">no</parameter></invoke>
        malformed at 0: An argument of type="json" is not valid JSON.
      <function=read_file><parameter=path>a</parameter></function>
        read_file {"path":"a"} (<function> with tags, 0 to 60)
      <tool_call><function=read_file><parameter=path>a</parameter></function></tool_call>
        read_file {"path":"a"} (<function> with tags, 0 to 83)
      <tool_call><name>read_file</name><id>c1</id><path>a</path></tool_call>
        read_file {"path":"a"} #c1 (<tool_call> with tags, 0 to 70)
      <tool_call><name>read_file</name><arguments>{"path":"a"}]},</arguments></tool_call>
        read_file {"path":"a"} (<tool_call> with tags, 0 to 83)
      <tool_call><name>read_file</name><arguments><path>a</path></arguments></tool_call>
        read_file {"path":"a"} (<tool_call> with tags, 0 to 82)
      <tool_call><name>search</name><query>x</query><input>y</input></tool_call>
        search {"query":"x","input":"y"} (<tool_call> with tags, 0 to 74)
      <tool_call><name>read_file</name><arguments>{"path":"a"}</arguments><arguments>{"path":"b"}</arguments></tool_call>
        ambiguous at 0: The call has its arguments as JSON, and more of them beside it.
        left: <tool_call><name>read_file</name><arguments>{"path":"a"}</arguments><arguments>{"path":"b"}</arguments></tool_call>
      <tool_call><name>read_file</name><arguments>{"path":"a"} more</arguments></tool_call>
        malformed at 0: Something else follows the JSON in <arguments>.
        left: <tool_call><name>read_file</name><arguments>{"path":"a"} more</arguments></tool_call>
      <tool_call>read_file
      <arg_key>path</arg_key>
      <arg_value>a</arg_value></tool_call>
        read_file {"path":"a"} (<tool_call> with tags, 0 to 81)
      <tool_call>read_file
      <arg_key>path</arg_key>more</tool_call>
        malformed at 0: <arg_key>path has no value.
        left: <tool_call>read_file
      <arg_key>path</arg_key>more</tool_call>
      <tool_call>read_file {"path":"a"}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 45)
      <tool_call>read_file</tool_call>
        read_file {} (<tool_call> with tags, 0 to 32)
      <tool_call>some words</tool_call>
        malformed at 0: <tool_call> contains text that is not a call.
        left: <tool_call>some words</tool_call>
      <tool_call name="read_file" id="c1">{"path":"a"}</tool_call>
        read_file {"path":"a"} #c1 (<tool_call> with JSON, 0 to 60)
      <tool_call name="read_file" id="c1"/>
        read_file {} #c1 (<tool_call/>, 0 to 37)
      <tool_call id="c1"/>
        malformed at 0: <tool_call/> does not name a tool.
        left: <tool_call id="c1"/>
      <read_file path="a" start_line="3"/>
        read_file {"path":"a","start_line":3} (<read_file/>, 0 to 36)
      <read_file><path>a</path><path>a</path></read_file>
        read_file {"path":"a"} (<read_file> with tags, 0 to 51)
      <read_file><path>a</path><path>b</path></read_file>
        ambiguous at 0: The argument "path" occurs twice with different values.
        left: <read_file><path>a</path><path>b</path></read_file>
      <read_file>words <path>a</path></read_file>
        malformed at 0: <read_file> contains "words <path>a</path>" between its arguments.
        left: <read_file>words <path>a</path></read_file>
      <read_file><path>a <path> b</path></read_file>
        ambiguous at 0: <path> is nested in <path>, so it is unclear where it ends; escape tags in arguments (&lt;) or use CDATA.
        left: <read_file><path>a <path> b</path></read_file>
      <read_file><parameter name="path" name="b">a</parameter></read_file>
        ambiguous at 0: <parameter> gives "name" twice.
        left: <read_file><parameter name="path" name="b">a</parameter></read_file>
      <function_calls><invoke name='read_file'><parameter name=path>a</parameter></function_calls>
        read_file {"path":"a"} (<invoke> with tags, 0 to 92)
      <function_calls>{"name":"read_file","arguments":{"path":"a"}}</function_calls>
        read_file {"path":"a"} (<function_calls> with JSON, 0 to 78)
      <function_calls>words</function_calls>
        malformed at 0: <function_calls> contains something that is not a call.
        left: <function_calls>words</function_calls>
      <invoke name="read_file"><parameter name="path">a</parameter>
        read_file {"path":"a"} (<invoke> with tags, 0 to 61)
      <invoke name="read_file">
        incomplete at 0: <invoke> does not close.
        left: <invoke name="read_file">
      <invoke name="read_file"><parameter name="path">a
        incomplete at 0: The text ends before </parameter>.
        left: <invoke name="read_file"><parameter name="path">a
      <invoke name="read_file"><parameter name="pa
        incomplete at 0: The text ends within <invoke>.
        left: <invoke name="read_file"><parameter name="pa
      <tool_call>{"name":"read_file","arguments":{"path":"a"}}<path>b</path></tool_call>
        ambiguous at 0: The call has its arguments as JSON, and more of them beside it.
        left: <tool_call>{"name":"read_file","arguments":{"path":"a"}}<path>b</path></tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":"a"}} words</tool_call>
        malformed at 0: Something else follows the JSON in <tool_call>.
        left: <tool_call>{"name":"read_file","arguments":{"path":"a"}} words</tool_call>
      <tool_call>\`\`\`json
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 80)
      <tool_call name="read_file">[1]</tool_call>
        malformed at 0: <tool_call> contains "[1]</tool_call>" between its arguments.
        left: <tool_call name="read_file">[1]</tool_call>
      <tool_call><tool_call><tool_call><tool_call><tool_call></tool_call>
        malformed at 0: <tool_call> does not name a tool.
        left: <tool_call><tool_call><tool_call><tool_call><tool_call></tool_call>
      <parameter name="path">a</parameter>
        left: <parameter name="path">a</parameter>
      <read_file><path>a</path></read_file> words </parameter>
        ambiguous at 0: The closing tag of an argument comes after the calls, so it is unclear where the arguments end; escape tags in arguments (&lt;) or use CDATA.
        left: words </parameter>"
    `);
  });

  it("fences, spans, quotes, thoughts and steps", () => {
    const call = '{"name":"read_file","arguments":{"path":"a"}}';
    const tag = `<tool_call>${call}</tool_call>`;
    const texts = [
      `~~~json\n${call}\n~~~`,
      `\`\`\`\`tool_calls\n${call}\n${call}\n\`\`\`\``,
      `\`\`\`tool_code\nread_file(path="a")\n\`\`\``,
      "```tool_call\nwords\n```",
      `\`\`\`python\n${call}\n\`\`\``,
      `\`\`\`json ${call}\n\`\`\``,
      `\`${call}\``,
      `\`\`${call} \`\`\` \`\``,
      `Say \`${tag}\` here`,
      `It is "${tag}" here`,
      `"${tag}"`,
      `\u201c${tag}\u201d here`,
      `> ${tag}\n${tag}`,
      `<!-- ${tag} -->${tag}`,
      `<example>${tag}</example>${tag}`,
      `<tool_result>${tag}`,
      `a <tool_result> b ${tag}`,
      `<think>${tag}</think>${tag}`,
      `${tag} so I think</think>done`,
      `<Thinking>${tag}`,
      'Thought: x\nAction: read_file\nAction Input: {"path":"a"}\nObservation: Action: read_file\nThought: done',
      "Action: read_file\nAction Input: [1]",
      "Action: nothing\nAction Input: {}",
      `Observation: ${tag}`,
      "Action: read_file",
      `${tag}\n\`\`\`json\n${call}\n\`\`\``,
      `${tag}\`${call}\``,
      "<read_file> is a tool",
      "<tool_call> is a tag, <b>bold</b>",
    ];
    expect(readAll(texts).join("\n")).toMatchInlineSnapshot(`
      "~~~json
      {"name":"read_file","arguments":{"path":"a"}}
      ~~~
        read_file {"path":"a"} (fence json, 0 to 57)
      \`\`\`\`tool_calls
      {"name":"read_file","arguments":{"path":"a"}}
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`\`
        read_file {"path":"a"} (fence tool_calls, 0 to 111)
        read_file {"path":"a"} (fence tool_calls, 0 to 111)
      \`\`\`tool_code
      read_file(path="a")
      \`\`\`
        read_file {"path":"a"} (fence tool_code, 0 to 36)
      \`\`\`tool_call
      words
      \`\`\`
        malformed at 0: A fence for calls contains something else.
        left: \`\`\`tool_call
      words
      \`\`\`
      \`\`\`python
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
        read_file {"path":"a"} (fence python, 0 to 59)
      \`\`\`json {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
        read_file {"path":"a"} (fence json, 0 to 57)
      \`{"name":"read_file","arguments":{"path":"a"}}\`
        read_file {"path":"a"} (fence, 0 to 47)
      \`\`{"name":"read_file","arguments":{"path":"a"}} \`\`\` \`\`
        left: \`\`{"name":"read_file","arguments":{"path":"a"}} \`\`\` \`\`
      Say \`<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>\` here
        left: Say \`<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>\` here
      It is "<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>" here
        left: It is "<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>" here
      "<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>"
        read_file {"path":"a"} (<tool_call> with JSON, 1 to 69)
        left: ""
      “<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>” here
        left: “<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>” here
      > <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 71 to 139)
        left: > <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
      <!-- <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call> --><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 77 to 145)
        left: <!-- <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call> -->
      <example><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call></example><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 87 to 155)
        left: <example><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call></example>
      <tool_result><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
        left: <tool_result><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
      a <tool_result> b <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 18 to 86)
        left: a <tool_result> b
      <think><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call></think><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 83 to 151)
      <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call> so I think</think>done
        left: done
      <Thinking><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
      Thought: x
      Action: read_file
      Action Input: {"path":"a"}
      Observation: Action: read_file
      Thought: done
        read_file {"path":"a"} (Action, 11 to 55)
        left: Thought: x

      Observation: Action: read_file
      Thought: done
      Action: read_file
      Action Input: [1]
        malformed at 0: The "Action Input" of "read_file" is not an object.
        left: Action: read_file
      Action Input: [1]
      Action: nothing
      Action Input: {}
        left: Action: nothing
      Action Input: {}
      Observation: <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
        left: Observation: <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
      Action: read_file
        left: Action: read_file
      <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>
      \`\`\`json
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 68)
        read_file {"path":"a"} (fence json, 69 to 126)
      <tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>\`{"name":"read_file","arguments":{"path":"a"}}\`
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 68)
        left: \`{"name":"read_file","arguments":{"path":"a"}}\`
      <read_file> is a tool
        left: <read_file> is a tool
      <tool_call> is a tag, <b>bold</b>
        malformed at 0: <tool_call> contains text that is not a call.
        left: <tool_call> is a tag, <b>bold</b>"
    `);
  });

  it("what stands in a container, and what is cut off or out of place in tags", () => {
    const call = '{"name":"read_file","arguments":{"path":"a"}}';
    const inner = ["call", "tool", "function", "invoke", "tool_call", "b", "parameter"];
    const texts = [
      ...inner.map((tag) => `<tool_calls><${tag}>${call}</${tag}></tool_calls>`),
      ...inner.map((tag) => `<tool_calls><${tag} name="read_file"><path>a</path></${tag}></tool_calls>`),
      `<tool_calls>${call}</tool_calls>`,
      `<tool_calls>words</tool_calls>`,
      `<tool_calls></tool_calls>`,
      `<invoke name="read_file"><path>a</path>words</invoke>`,
      `<invoke name="read_file"><path>a</path><pa`,
      `<invoke name="read_file"><path>a</path><pa\nwords`,
      `<invoke name="read_file"><path>a</path><${"p".repeat(300)}`,
      `<invoke name="read_file"><arg_key>path</arg_key><b>a</b></invoke>`,
      `<invoke name="read_file"><arg_key>${"k".repeat(60)}</arg_key></invoke>`,
      `<invoke name="read_file"><path>a</path><path>b</path></invoke>`,
      `<invoke name="read_file"><${"k".repeat(60)}>a</${"k".repeat(60)}><${"k".repeat(60)}>b</${"k".repeat(60)}></invoke>`,
      `<invoke name="read_file"><path>a</path><path>a</path></invoke>`,
      `<invoke name="read_file"><arguments>{"path":"a"}</arguments></invoke>`,
      `<invoke name="read_file"><arguments>{"path":"a"}</arguments><path>b</path></invoke>`,
      `<invoke name="read_file"><arguments>{"path":"a"} words</arguments></invoke>`,
      `<invoke name="read_file"><arguments>{"path":"a"}}]</arguments></invoke>`,
      `<invoke name="read_file"><arguments><path>a</path></arguments></invoke>`,
      `<invoke name="read_file"><arguments/></invoke>`,
      `<tool_call>read_file{"path":"a"}</tool_call>`,
      `<tool_call>read_file<path>a</path></tool_call>`,
      `<tool_call>read_file</tool_call>`,
      `<tool_call>read_file`,
      `<tool_call>read_file words</tool_call>`,
      `<tool_call>read_file(path="a")</tool_call>`,
      `<tool_call>read_file(path="a") words</tool_call>`,
      `<tool_call>${call} words</tool_call>`,
      `<tool_call>${call}<path>b</path></tool_call>`,
      `<tool_call>{"path":"a"}</tool_call>`,
      `<tool_call>{"name":"read_file","arguments":{"path":${"9".repeat(60)}}}</tool_call>`,
      `<tool_call>{"name":"read_file","arguments":{"path":1${"0".repeat(400)}}}</tool_call>`,
      `<tool_call>{"name":"read_file","arguments":{"path":${"x".repeat(60)}}}</tool_call>`,
      `<read_file path="a"/>`,
      `<tool_call name="read_file"/>`,
      `<tool_call/>`,
    ];
    expect(readAll(texts).join("\n")).toMatchInlineSnapshot(`
      "<tool_calls><call>{"name":"read_file","arguments":{"path":"a"}}</call></tool_calls>
        read_file {"path":"a"} (<call> with JSON, 0 to 83)
      <tool_calls><tool>{"name":"read_file","arguments":{"path":"a"}}</tool></tool_calls>
        read_file {"path":"a"} (<tool> with JSON, 0 to 83)
      <tool_calls><function>{"name":"read_file","arguments":{"path":"a"}}</function></tool_calls>
        read_file {"path":"a"} (<function> with JSON, 0 to 91)
      <tool_calls><invoke>{"name":"read_file","arguments":{"path":"a"}}</invoke></tool_calls>
        read_file {"path":"a"} (<invoke> with JSON, 0 to 87)
      <tool_calls><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call></tool_calls>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 93)
      <tool_calls><b>{"name":"read_file","arguments":{"path":"a"}}</b></tool_calls>
        malformed at 0: <tool_calls> contains something that is not a call.
        left: <tool_calls><b>{"name":"read_file","arguments":{"path":"a"}}</b></tool_calls>
      <tool_calls><parameter>{"name":"read_file","arguments":{"path":"a"}}</parameter></tool_calls>
        malformed at 0: <tool_calls> contains something that is not a call.
        left: <tool_calls><parameter>{"name":"read_file","arguments":{"path":"a"}}</parameter></tool_calls>
      <tool_calls><call name="read_file"><path>a</path></call></tool_calls>
        read_file {"path":"a"} (<call> with tags, 0 to 69)
      <tool_calls><tool name="read_file"><path>a</path></tool></tool_calls>
        read_file {"path":"a"} (<tool> with tags, 0 to 69)
      <tool_calls><function name="read_file"><path>a</path></function></tool_calls>
        read_file {"path":"a"} (<function> with tags, 0 to 77)
      <tool_calls><invoke name="read_file"><path>a</path></invoke></tool_calls>
        read_file {"path":"a"} (<invoke> with tags, 0 to 73)
      <tool_calls><tool_call name="read_file"><path>a</path></tool_call></tool_calls>
        read_file {"path":"a"} (<tool_call> with tags, 0 to 79)
      <tool_calls><b name="read_file"><path>a</path></b></tool_calls>
        malformed at 0: <tool_calls> contains something that is not a call.
        left: <tool_calls><b name="read_file"><path>a</path></b></tool_calls>
      <tool_calls><parameter name="read_file"><path>a</path></parameter></tool_calls>
        malformed at 0: <tool_calls> contains something that is not a call.
        left: <tool_calls><parameter name="read_file"><path>a</path></parameter></tool_calls>
      <tool_calls>{"name":"read_file","arguments":{"path":"a"}}</tool_calls>
        read_file {"path":"a"} (<tool_calls> with JSON, 0 to 70)
      <tool_calls>words</tool_calls>
        malformed at 0: <tool_calls> contains something that is not a call.
        left: <tool_calls>words</tool_calls>
      <tool_calls></tool_calls>
      <invoke name="read_file"><path>a</path>words</invoke>
        malformed at 0: <invoke> contains "words</invoke>" between its arguments.
        left: <invoke name="read_file"><path>a</path>words</invoke>
      <invoke name="read_file"><path>a</path><pa
        incomplete at 0: The text ends within <invoke>.
        left: <invoke name="read_file"><path>a</path><pa
      <invoke name="read_file"><path>a</path><pa
      words
        malformed at 0: <invoke> contains "<pa\\nwords" between its arguments.
        left: <invoke name="read_file"><path>a</path><pa
      words
      <invoke name="read_file"><path>a</path><pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp
        incomplete at 0: The text ends within <invoke>.
        left: <invoke name="read_file"><path>a</path><pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp
      <invoke name="read_file"><arg_key>path</arg_key><b>a</b></invoke>
        malformed at 0: <arg_key>path has no value.
        left: <invoke name="read_file"><arg_key>path</arg_key><b>a</b></invoke>
      <invoke name="read_file"><arg_key>kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk</arg_key></invoke>
        malformed at 0: <arg_key>kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk has no value.
        left: <invoke name="read_file"><arg_key>kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk</arg_key></invoke>
      <invoke name="read_file"><path>a</path><path>b</path></invoke>
        ambiguous at 0: The argument "path" occurs twice with different values.
        left: <invoke name="read_file"><path>a</path><path>b</path></invoke>
      <invoke name="read_file"><kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk>a</kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk><kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk>b</kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk></invoke>
        ambiguous at 0: The argument "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk" occurs twice with different values.
        left: <invoke name="read_file"><kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk>a</kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk><kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk>b</kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk></invoke>
      <invoke name="read_file"><path>a</path><path>a</path></invoke>
        read_file {"path":"a"} (<invoke> with tags, 0 to 62)
      <invoke name="read_file"><arguments>{"path":"a"}</arguments></invoke>
        read_file {"path":"a"} (<invoke> with tags, 0 to 69)
      <invoke name="read_file"><arguments>{"path":"a"}</arguments><path>b</path></invoke>
        ambiguous at 0: The call has its arguments as JSON, and more of them beside it.
        left: <invoke name="read_file"><arguments>{"path":"a"}</arguments><path>b</path></invoke>
      <invoke name="read_file"><arguments>{"path":"a"} words</arguments></invoke>
        malformed at 0: Something else follows the JSON in <arguments>.
        left: <invoke name="read_file"><arguments>{"path":"a"} words</arguments></invoke>
      <invoke name="read_file"><arguments>{"path":"a"}}]</arguments></invoke>
        read_file {"path":"a"} (<invoke> with tags, 0 to 71)
      <invoke name="read_file"><arguments><path>a</path></arguments></invoke>
        read_file {"path":"a"} (<invoke> with tags, 0 to 71)
      <invoke name="read_file"><arguments/></invoke>
        read_file {} (<invoke> with tags, 0 to 46)
      <tool_call>read_file{"path":"a"}</tool_call>
        read_file {"path":"a"} (<tool_call> with JSON, 0 to 44)
      <tool_call>read_file<path>a</path></tool_call>
        read_file {"path":"a"} (<tool_call> with tags, 0 to 46)
      <tool_call>read_file</tool_call>
        read_file {} (<tool_call> with tags, 0 to 32)
      <tool_call>read_file
        incomplete at 0: The text ends before </tool_call>.
        left: <tool_call>read_file
      <tool_call>read_file words</tool_call>
        malformed at 0: <tool_call> contains text that is not a call.
        left: <tool_call>read_file words</tool_call>
      <tool_call>read_file(path="a")</tool_call>
        read_file {"path":"a"} (<tool_call> with Python, 0 to 42)
      <tool_call>read_file(path="a") words</tool_call>
        malformed at 0: Something else follows the call in <tool_call>.
        left: <tool_call>read_file(path="a") words</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":"a"}} words</tool_call>
        malformed at 0: Something else follows the JSON in <tool_call>.
        left: <tool_call>{"name":"read_file","arguments":{"path":"a"}} words</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":"a"}}<path>b</path></tool_call>
        ambiguous at 0: The call has its arguments as JSON, and more of them beside it.
        left: <tool_call>{"name":"read_file","arguments":{"path":"a"}}<path>b</path></tool_call>
      <tool_call>{"path":"a"}</tool_call>
        malformed at 0: The JSON in <tool_call> is not a call: it has no tool name.
        left: <tool_call>{"path":"a"}</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":999999999999999999999999999999999999999999999999999999999999}}</tool_call>
        ambiguous at 0: 9999999999999999999999999999999999999999 is too large to be represented exactly; write it as a string where one is accepted.
        left: <tool_call>{"name":"read_file","arguments":{"path":999999999999999999999999999999999999999999999999999999999999}}</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000}}</tool_call>
        malformed at 0: 1000000000000000000000000000000000000000 is too large a number.
        left: <tool_call>{"name":"read_file","arguments":{"path":10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000}}</tool_call>
      <tool_call>{"name":"read_file","arguments":{"path":xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}}</tool_call>
        malformed at 0: Expected a value, found "}}</tool_call>".
        left: <tool_call>{"name":"read_file","arguments":{"path":xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}}</tool_call>
      <read_file path="a"/>
        read_file {"path":"a"} (<read_file/>, 0 to 21)
      <tool_call name="read_file"/>
        read_file {} (<tool_call/>, 0 to 29)
      <tool_call/>
        malformed at 0: <tool_call/> does not name a tool.
        left: <tool_call/>"
    `);
  });

  it("steps and spans, at their bounds", () => {
    const call = '{"name":"read_file","arguments":{"path":"a"}}';
    const texts = [
      `Action: read_file\nAction Input: {"path":"a"}`,
      `Action:read_file\nAction Input:{"path":"a"}`,
      `Action: read_file\nAction Input: ["a"]`,
      `Action: read_file\nAction Input: null`,
      `Action: read_file\nInput: {"path":"a"}`,
      `Action: nothing_known\nAction Input: {"path":"a"}`,
      `Action: ${"r".repeat(128)}\nAction Input: {}`,
      `say Action: read_file\nAction Input: {"path":"a"}`,
      `\`${call}\``,
      `\`\`${call}\`\``,
      `\`\`${call}\``,
      `\`${call}\` and more`,
      `words \`${call}\``,
      `\`${call} ${" ".repeat(1900)}\``,
      `\`${call} ${" ".repeat(2000)}\``,
      `~~~json\n${call}\n~~~`,
      `\`\`\`json\n${call}\n\`\`\`\``,
      `\`\`\`\`json\n${call}\n\`\`\`\n\`\`\`\``,
      `\`\`\`json ${call}\n\`\`\``,
      `\`\`\`json\n${call}`,
      `\`\`\`js\n${call}\n\`\`\``,
      `\`\`\`js\n${call}\n\`\`\`\nmore`,
      `\`\`\`tool_call\n${call}\n\`\`\`\nmore`,
    ];
    expect(readAll(texts).join("\n")).toMatchInlineSnapshot(`
      "Action: read_file
      Action Input: {"path":"a"}
        read_file {"path":"a"} (Action, 0 to 44)
      Action:read_file
      Action Input:{"path":"a"}
        read_file {"path":"a"} (Action, 0 to 42)
      Action: read_file
      Action Input: ["a"]
        malformed at 0: The "Action Input" of "read_file" is not an object.
        left: Action: read_file
      Action Input: ["a"]
      Action: read_file
      Action Input: null
        malformed at 0: The "Action Input" of "read_file" is not an object.
        left: Action: read_file
      Action Input: null
      Action: read_file
      Input: {"path":"a"}
        left: Action: read_file
      Input: {"path":"a"}
      Action: nothing_known
      Action Input: {"path":"a"}
        left: Action: nothing_known
      Action Input: {"path":"a"}
      Action: rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr
      Action Input: {}
        left: Action: rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr
      Action Input: {}
      say Action: read_file
      Action Input: {"path":"a"}
        left: say Action: read_file
      Action Input: {"path":"a"}
      \`{"name":"read_file","arguments":{"path":"a"}}\`
        read_file {"path":"a"} (fence, 0 to 47)
      \`\`{"name":"read_file","arguments":{"path":"a"}}\`\`
        read_file {"path":"a"} (fence, 0 to 49)
      \`\`{"name":"read_file","arguments":{"path":"a"}}\`
        left: \`\`{"name":"read_file","arguments":{"path":"a"}}\`
      \`{"name":"read_file","arguments":{"path":"a"}}\` and more
        left: \`{"name":"read_file","arguments":{"path":"a"}}\` and more
      words \`{"name":"read_file","arguments":{"path":"a"}}\`
        left: words \`{"name":"read_file","arguments":{"path":"a"}}\`
      \`{"name":"read_file","arguments":{"path":"a"}}                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             \`
        read_file {"path":"a"} (fence, 0 to 1948)
      \`{"name":"read_file","arguments":{"path":"a"}}                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 \`
        left: \`{"name":"read_file","arguments":{"path":"a"}}                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 \`
      ~~~json
      {"name":"read_file","arguments":{"path":"a"}}
      ~~~
        read_file {"path":"a"} (fence json, 0 to 57)
      \`\`\`json
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`\`
        read_file {"path":"a"} (fence json, 0 to 58)
      \`\`\`\`json
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
      \`\`\`\`
        left: \`\`\`\`json
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
      \`\`\`\`
      \`\`\`json {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
        read_file {"path":"a"} (fence json, 0 to 57)
      \`\`\`json
      {"name":"read_file","arguments":{"path":"a"}}
        read_file {"path":"a"} (fence json, 0 to 53)
      \`\`\`js
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
        read_file {"path":"a"} (fence js, 0 to 55)
      \`\`\`js
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
      more
        left: \`\`\`js
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
      more
      \`\`\`tool_call
      {"name":"read_file","arguments":{"path":"a"}}
      \`\`\`
      more
        read_file {"path":"a"} (fence tool_call, 0 to 62)
        left: more"
    `);
  });

  it("at most as many calls as are wanted, and at most 32 problems", () => {
    const call = '<tool_call>{"name":"current_time","arguments":{}}</tool_call>';
    const { calls, problems } = parseToolCalls(call.repeat(3), { tools: fixtureTools, maxCalls: 2 });
    expect(calls).toHaveLength(2);
    expect(problems).toEqual([
      {
        code: "limit",
        message: "The text has more than 2 calls; the others were not taken.",
        start: 2 * call.length,
        excerpt: call.slice(0, 80),
      },
    ]);
    expect(parseToolCalls(call.repeat(2), { tools: fixtureTools, maxCalls: 2 }).problems).toEqual([]);
    expect(parseToolCalls(call.repeat(129), { tools: fixtureTools }).calls).toHaveLength(128);
    const broken = "<tool_call>{7}</tool_call>\n";
    const many = parseToolCalls(broken.repeat(40), { tools: fixtureTools });
    expect(many.problems).toHaveLength(31);
    expect(many.problems.at(-1)).toMatchObject({
      code: "limit",
      message: "The text has 30 calls that cannot be read; the rest was not read.",
    });
    const unreadable = `<tool_call>[${Array.from({ length: 40 }, () => '{"name":"read_file","arguments":{},"thought":1}').join(",")}]</tool_call>`;
    expect(
      parseToolCalls(unreadable, {
        tools: [{ name: "read_file", inputSchema: { properties: { thought: {} } } }],
      }).problems,
    ).toHaveLength(32);
  });
});
