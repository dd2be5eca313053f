import type { CallableTool } from "../parse/tool-names.js";

/** One text of a model and how it must be read. */
export interface Fixture {
  readonly title: string;
  readonly text: string;
  /** `[name, arguments]` of each call. */
  readonly calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
  /** Codes of the problems. @default [] */
  readonly problems?: readonly string[];
  /** The text that is left. @default not looked at */
  readonly rest?: string;
}

const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: "object",
  properties,
  required,
});

/** The tools that the texts call. */
export const fixtureTools: readonly CallableTool[] = [
  {
    name: "read_file",
    aliases: ["file_read"],
    inputSchema: object({
      path: { type: "string" },
      start_line: { type: "integer" },
      end_line: { type: "integer" },
    }),
  },
  {
    name: "write_file",
    inputSchema: object({ path: { type: "string" }, content: { type: "string" } }),
  },
  { name: "current_time", inputSchema: object({ timezone: { type: "string" } }) },
  {
    name: "search",
    inputSchema: object({
      query: { type: "string" },
      regex: { type: "boolean" },
      limit: { type: "number" },
      tags: { type: "array", items: { type: "string" } },
      range: object({ from: { type: "integer" }, to: { type: "integer" } }),
      maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
      free: {},
    }),
  },
  { name: "git:status", inputSchema: object({}) },
];

const read = ["read_file", { path: "a.txt" }] as const;
const shownCall = '<tool_call name="read_file"><parameter name="path">a.txt</parameter></tool_call>';
const bar = "\uff5c";
const low = "\u2581";

/** Well-formed and malformed calls as models of many makers write them. */
export const fixtures: readonly Fixture[] = [
  // JSON on its own
  { title: "plain JSON", text: '{"name":"read_file","arguments":{"path":"a.txt"}}', calls: [read], rest: "" },
  {
    title: "text around a bare object",
    text: 'Let me look.\n{"name":"read_file","arguments":{"path":"a.txt"}}\nThen I go on.',
    calls: [read],
    rest: "Let me look.\n\nThen I go on.",
  },
  { title: "trailing commas", text: '{"name":"read_file","arguments":{"path":"a.txt",},}', calls: [read] },
  { title: "single quotes", text: "{'name': 'read_file', 'arguments': {'path': 'a.txt'}}", calls: [read] },
  { title: "bare keys", text: '{name: "read_file", arguments: {path: "a.txt"}}', calls: [read] },
  {
    title: "comments",
    text: '{\n  // the tool\n  "name": "read_file", /* args */\n  "arguments": {"path": "a.txt"} # done\n}',
    calls: [read],
  },
  {
    title: "Python's words",
    text: '{"name":"search","arguments":{"query":"x","regex":True,"maybe":None}}',
    calls: [["search", { query: "x", regex: true, maybe: null }]],
  },
  {
    title: "raw line breaks in a string",
    text: '{"name":"write_file","arguments":{"path":"a","content":"one\ntwo\n"}}',
    calls: [["write_file", { path: "a", content: "one\ntwo\n" }]],
  },
  {
    title: "parameters for arguments",
    text: '{"name":"read_file","parameters":{"path":"a.txt"}}',
    calls: [read],
  },
  { title: "tool and args", text: '{"tool":"read_file","args":{"path":"a.txt"}}', calls: [read] },
  {
    title: "tool_name and tool_input",
    text: '{"tool_name":"read_file","tool_input":{"path":"a.txt"}}',
    calls: [read],
  },
  {
    title: "action and action_input",
    text: '{"action":"read_file","action_input":{"path":"a.txt"}}',
    calls: [read],
  },
  { title: "the tool as the key", text: '{"read_file":{"path":"a.txt"}}', calls: [read] },
  {
    title: "a list",
    text: '[{"name":"read_file","arguments":{"path":"a.txt"}},{"name":"current_time","arguments":{}}]',
    calls: [read, ["current_time", {}]],
  },
  {
    title: "arguments null",
    text: '{"name":"current_time","arguments":null}',
    calls: [["current_time", {}]],
  },
  {
    title: "OpenAI's tool_calls with a string",
    text: '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"read_file","arguments":"{\\"path\\":\\"a.txt\\"}"}}]}',
    calls: [read],
  },
  {
    title: "OpenAI's old function_call",
    text: '{"function_call":{"name":"read_file","arguments":"{\\"path\\": \\"a.txt\\"}"}}',
    calls: [read],
  },
  {
    title: "an empty string for no arguments",
    text: '{"tool_calls":[{"type":"function","function":{"name":"current_time","arguments":""}}]}',
    calls: [["current_time", {}]],
  },
  {
    title: "Anthropic's tool_use",
    text: '{"type":"tool_use","id":"toolu_1","name":"read_file","input":{"path":"a.txt"}}',
    calls: [read],
  },
  {
    title: "Gemini's functionCall",
    text: '{"functionCall":{"name":"read_file","args":{"path":"a.txt"}}}',
    calls: [read],
  },
  {
    title: "Gemini's parts",
    text: '{"role":"model","parts":[{"text":"Sure."},{"functionCall":{"name":"read_file","args":{"path":"a.txt"}}}]}',
    calls: [read],
  },
  {
    title: "a prefix before the name",
    text: '{"name":"functions.read_file","arguments":{"path":"a.txt"}}',
    calls: [read],
  },
  { title: "an alias", text: '{"name":"file_read","arguments":{"path":"a.txt"}}', calls: [read] },
  {
    title: "the legal form of a name",
    text: '{"name":"git__status","arguments":{}}',
    calls: [["git:status", {}]],
  },
  { title: "ordinary JSON is no call", text: '{"name":"Ada","age":36}', calls: [] },
  { title: "an unknown name in bare JSON is no call", text: '{"name":"fly","arguments":{}}', calls: [] },
  {
    title: "JSON within a sentence is no call",
    text: 'Write {"name":"read_file","arguments":{}} to me.',
    calls: [],
  },
  {
    title: "cut off JSON",
    text: '{"name":"write_file","arguments":{"path":"a","content":"half of i',
    calls: [],
    problems: ["incomplete"],
  },
  {
    title: "two different argument objects",
    text: '{"name":"read_file","arguments":{"path":"a"},"parameters":{"path":"b"}}',
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "two names",
    text: '{"name":"read_file","tool":"write_file","arguments":{"path":"b"}}',
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "a key twice",
    text: '{"name":"read_file","arguments":{"path":"a","path":"b"}}',
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "an escape with two meanings",
    text: String.raw`{"name":"search","arguments":{"query":"\d+"}}`,
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "arguments that are a list",
    text: '<tool_call>{"name":"read_file","arguments":["a.txt"]}</tool_call>',
    calls: [],
    problems: ["malformed"],
  },
  // fences
  {
    title: "a json fence",
    text: '<think>I will.</think>\n```json\n{"name":"read_file","arguments":{"path":"a.txt"}}\n```',
    calls: [read],
  },
  {
    title: "a fence without a language",
    text: '```\n{"name":"read_file","arguments":{"path":"a.txt"}}\n```',
    calls: [read],
  },
  {
    title: "a fence that never closes",
    text: '```json\n{"name":"read_file","arguments":{"path":"a.txt"}}\n',
    calls: [read],
  },
  {
    title: "two objects in one fence",
    text: '```json\n{"name":"read_file","arguments":{"path":"a.txt"}}\n{"name":"current_time","arguments":{}}\n```',
    calls: [read, ["current_time", {}]],
  },
  {
    title: "a tool_call fence",
    text: '```tool_call\n{"name":"read_file","arguments":{"path":"a.txt"}}\n```',
    calls: [read],
  },
  {
    title: "a tool_code fence",
    text: '```tool_code\nprint(default_api.read_file(path="a.txt"))\n```',
    calls: [read],
  },
  {
    title: "an xml fence",
    text: '```xml\n<tool_call name="read_file"><parameter name="path">a.txt</parameter></tool_call>\n```',
    calls: [read],
  },
  {
    title: "backticks within arguments in a fence",
    text: '```xml\n<invoke name="write_file"><parameter name="path">a.md</parameter><parameter name="content">\n```js\n1\n```\n</parameter></invoke>\n```\nDone.',
    calls: [["write_file", { path: "a.md", content: "```js\n1\n```" }]],
    rest: "Done.",
  },
  {
    title: "an example in a fence of another language",
    text: 'In Python it is\n```python\nread_file(path="a.txt")\n```\nas you see.',
    calls: [],
  },
  {
    title: "an example of markup in a markdown fence",
    text: 'Calls look so:\n```markdown\n<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>\n```\n',
    calls: [],
  },
  {
    title: "a fence of another language that is all there is",
    text: '```javascript\n{"name":"read_file","arguments":{"path":"a.txt"}}\n```',
    calls: [read],
  },
  {
    title: "a tag in inline code",
    text: "Use the `<tool_call>` tag for it.",
    calls: [],
    rest: "Use the `<tool_call>` tag for it.",
  },
  { title: "JSON data in a fence", text: '```json\n{"name":"my-package","version":"1.0.0"}\n```', calls: [] },
  {
    title: "a broken call in a json fence",
    text: '```json\n{"name":"read_file","arguments":{"path":"a.txt"\n```',
    calls: [],
    problems: ["malformed"],
  },
  // Hermes, Qwen
  {
    title: "Hermes",
    text: '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>',
    calls: [read],
  },
  {
    title: "two Hermes calls",
    text: '<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>\n<tool_call>{"name":"current_time","arguments":{}}</tool_call>',
    calls: [read, ["current_time", {}]],
  },
  {
    title: "Hermes without its end",
    text: 'Sure.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}',
    calls: [read],
    rest: "Sure.",
  },
  {
    title: "one bracket too few before the closing tag",
    text: '<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}</tool_call>',
    calls: [read],
  },
  {
    title: "one bracket too many",
    text: '<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}}</tool_call>',
    calls: [read],
  },
  {
    title: "an opening tag in the place of a closing one",
    text: '<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}<tool_call>{"name":"current_time","arguments":{}}</tool_call>',
    calls: [read, ["current_time", {}]],
  },
  {
    title: "a fence within the tag",
    text: '<tool_call>\n```json\n{"name":"read_file","arguments":{"path":"a.txt"}}\n```\n</tool_call>',
    calls: [read],
  },
  {
    title: "a closing tag within a string",
    text: '<tool_call>{"name":"write_file","arguments":{"path":"a","content":"</tool_call>"}}</tool_call>',
    calls: [["write_file", { path: "a", content: "</tool_call>" }]],
  },
  {
    title: "Hermes cut off",
    text: '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.txt", "content": "abc',
    calls: [],
    problems: ["incomplete"],
  },
  {
    title: "arguments beside the name",
    text: '<tool_call>{"name":"read_file","path":"a.txt"}</tool_call>',
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "an unknown tool in explicit markup is still a call",
    text: '<tool_call>{"name":"raed_file","arguments":{}}</tool_call>',
    calls: [["raed_file", {}]],
  },
  {
    title: "Nemotron's list",
    text: '<TOOLCALL>[{"name": "read_file", "arguments": {"path": "a.txt"}}]</TOOLCALL>',
    calls: [read],
  },
  {
    title: "Qwen coder",
    text: "<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=start_line>\n3\n</parameter>\n</function>\n</tool_call>",
    calls: [["read_file", { path: "a.txt", start_line: 3 }]],
  },
  { title: "function= with JSON", text: '<function=read_file>{"path": "a.txt"}</function>', calls: [read] },
  {
    title: "function= without tool_call",
    text: "<function=read_file><parameter=path>a.txt</parameter></function>",
    calls: [read],
  },
  {
    title: "GLM's keys and values",
    text: "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n<arg_key>end_line</arg_key>\n<arg_value>9</arg_value>\n</tool_call>",
    calls: [["read_file", { path: "a.txt", end_line: 9 }]],
  },
  // invoke and other tags
  {
    title: "invoke",
    text: '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a.txt</parameter>\n</invoke>\n<invoke name="current_time">\n</invoke>\n</function_calls>',
    calls: [read, ["current_time", {}]],
  },
  {
    title: "invoke with a prefix",
    text: '<x:function_calls><x:invoke name="read_file"><x:parameter name="path">a.txt</x:parameter></x:invoke></x:function_calls>',
    calls: [read],
  },
  {
    title: "invoke without the ends",
    text: '<function_calls><invoke name="read_file"><parameter name="path">a.txt</parameter>',
    calls: [read],
  },
  {
    title: "invoke cut off within a value",
    text: '<function_calls><invoke name="write_file"><parameter name="path">a</parameter><parameter name="content">half',
    calls: [],
    problems: ["incomplete"],
  },
  {
    title: "types from the schema",
    text: '<invoke name="search"><parameter name="query">5</parameter><parameter name="regex">True</parameter><parameter name="limit">2.5</parameter><parameter name="tags">["a"]</parameter><parameter name="maybe">null</parameter><parameter name="free">7</parameter></invoke>',
    calls: [["search", { query: "5", regex: true, limit: 2.5, tags: ["a"], maybe: null, free: "7" }]],
  },
  {
    title: "lists and objects in tags",
    text: '<invoke name="search"><parameter name="tags"><item>a</item><item>b</item></parameter><parameter name="range"><from>1</from><to>2</to></parameter></invoke>',
    calls: [["search", { tags: ["a", "b"], range: { from: 1, to: 2 } }]],
  },
  {
    title: "entities",
    text: '<invoke name="write_file"><parameter name="path">a</parameter><parameter name="content">a &lt; b &amp;&amp; c</parameter></invoke>',
    calls: [["write_file", { path: "a", content: "a < b && c" }]],
  },
  {
    title: "code that was not escaped",
    text: '<invoke name="write_file"><parameter name="path">a</parameter><parameter name="content">if (a < b && c) { x = "&lt;" }</parameter></invoke>',
    calls: [["write_file", { path: "a", content: 'if (a < b && c) { x = "&lt;" }' }]],
  },
  {
    title: "CDATA",
    text: '<invoke name="write_file"><parameter name="path">a</parameter><parameter name="content"><![CDATA[<b>&amp;</b></parameter>]]></parameter></invoke>',
    calls: [["write_file", { path: "a", content: "<b>&amp;</b></parameter>" }]],
  },
  { title: "the tool as a tag", text: "<read_file>\n<path>a.txt</path>\n</read_file>", calls: [read] },
  { title: "the tool as a tag with attributes", text: '<read_file path="a.txt"/>', calls: [read] },
  {
    title: "a tag that is no tool",
    text: "<p>Hello <b>you</b></p>",
    calls: [],
    rest: "<p>Hello <b>you</b></p>",
  },
  {
    title: "name and arguments in tags",
    text: "<tool_use><name>read_file</name><arguments><path>a.txt</path></arguments></tool_use>",
    calls: [read],
  },
  {
    title: "name in a tag, arguments as JSON",
    text: '<tool_call><tool_name>read_file</tool_name><parameters>{"path": "a.txt"}</parameters></tool_call>',
    calls: [read],
  },
  {
    title: "a function named in a tag",
    text: '<function name="read_file"><parameter name="path">a.txt</parameter></function>',
    calls: [read],
  },
  {
    title: "an argument twice",
    text: '<invoke name="read_file"><parameter name="path">a</parameter><parameter name="path">b</parameter></invoke>',
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "a closing tag that is content",
    text: '<invoke name="write_file"><parameter name="content">write </parameter> to end</parameter></invoke>',
    calls: [],
    problems: ["malformed"],
  },
  // tokens of models
  {
    title: "Mistral",
    text: '[TOOL_CALLS] [{"name": "read_file", "arguments": {"path": "a.txt"}}]',
    calls: [read],
  },
  {
    title: "Mistral's newer way",
    text: '[TOOL_CALLS]read_file[CALL_ID]abc123[ARGS]{"path": "a.txt"}[TOOL_CALLS]current_time[ARGS]{}',
    calls: [read, ["current_time", {}]],
  },
  {
    title: "Llama's tag with JSON",
    text: '<|python_tag|>{"type": "function", "name": "read_file", "parameters": {"path": "a.txt"}}<|eom_id|>',
    calls: [read],
  },
  { title: "Llama's tag with Python", text: '<|python_tag|>read_file(path="a.txt")', calls: [read] },
  {
    title: "Llama's list",
    text: "[read_file(path='a.txt'), current_time()]",
    calls: [read, ["current_time", {}]],
  },
  {
    title: "Python's values",
    text: '[search(query="""a\nb""", regex=False, tags=("x", "y"), range={"from": 1, "to": -2})]',
    calls: [["search", { query: "a\nb", regex: false, tags: ["x", "y"], range: { from: 1, to: -2 } }]],
  },
  { title: "a value without a name", text: '[read_file("a.txt")]', calls: [], problems: ["ambiguous"] },
  {
    title: "DeepSeek",
    text: `<${bar}tool${low}calls${low}begin${bar}><${bar}tool${low}call${low}begin${bar}>function<${bar}tool${low}sep${bar}>read_file\n\`\`\`json\n{"path":"a.txt"}\n\`\`\`<${bar}tool${low}call${low}end${bar}><${bar}tool${low}calls${low}end${bar}>`,
    calls: [read],
  },
  {
    title: "DeepSeek's newer way",
    text: `<${bar}tool${low}call${low}begin${bar}>read_file<${bar}tool${low}sep${bar}>{"path":"a.txt"}<${bar}tool${low}call${low}end${bar}>`,
    calls: [read],
  },
  {
    title: "Kimi",
    text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path":"a.txt"}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [read],
  },
  {
    title: "harmony",
    text: '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a.txt"}<|call|>',
    calls: [read],
  },
  {
    title: "ReAct",
    text: 'Thought: I must look.\nAction: read_file\nAction Input: {"path": "a.txt"}',
    calls: [read],
    rest: "Thought: I must look.",
  },
  { title: "Action in prose", text: "Action: we must read it.\nThen go on.", calls: [] },
  // thinking
  {
    title: "a call within thoughts",
    text: '<think>Maybe <tool_call>{"name":"current_time","arguments":{}}</tool_call></think>\n{"name":"read_file","arguments":{"path":"a.txt"}}',
    calls: [read],
    rest: "",
  },
  {
    title: "thoughts that never end",
    text: '<think>I could <tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>',
    calls: [],
    rest: "",
  },
  {
    title: "thoughts that began before the text",
    text: 'Maybe <tool_call>{"name":"current_time","arguments":{}}</tool_call>\n</think>\n<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>',
    calls: [read],
    rest: "",
  },
  {
    title: "thoughts of harmony",
    text: '<|start|>assistant<|channel|>analysis<|message|>I call <tool_call>{"name":"current_time","arguments":{}}</tool_call><|end|><|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a.txt"}<|call|>',
    calls: [read],
    rest: "",
  },
  {
    title: "thoughts of Mistral",
    text: '[THINK]{"name":"current_time","arguments":{}}[/THINK]{"name":"read_file","arguments":{"path":"a.txt"}}',
    calls: [],
    rest: '{"name":"read_file","arguments":{"path":"a.txt"}}',
  },
  {
    title: "the name of a tool as a word in brackets",
    text: "Type <search> in the box; then <read_file> shows it.",
    calls: [],
  },
  { title: "an opening tag alone", text: "<search>", calls: [] },
  { title: "a named opening tag alone", text: '<invoke name="search">', calls: [], problems: ["incomplete"] },
  {
    title: "text in the tag of a tool",
    text: "<read_file>a.txt</read_file>",
    calls: [],
    problems: ["malformed"],
  },
  {
    title: "two objects on one line",
    text: '{"name":"read_file","arguments":{"path":"a.txt"}}; {"name":"current_time","arguments":{}};',
    calls: [read, ["current_time", {}]],
    rest: "",
  },
  {
    title: "a comment after the call in a fence",
    text: '```json\n{"name":"read_file","arguments":{"path":"a.txt"}} // now\n```',
    calls: [read],
  },
  {
    title: "a stray fence before the closing tag",
    text: '<tool_call>\n{"name":"read_file","arguments":{"path":"a.txt"}}\n```\n</tool_call>',
    calls: [read],
  },
  {
    title: "invoke closed by the element around it",
    text: '<function_calls><invoke name="read_file"><parameter name="path">a.txt</parameter></function_calls>',
    calls: [read],
    rest: "",
  },
  {
    title: "unescaped quotes",
    text: '<tool_call>{"name":"write_file","arguments":{"path":"a","content":"He said "hi" to me"}}</tool_call>',
    calls: [],
    problems: ["malformed"],
  },
  {
    title: "a number with leading zeros",
    text: '<tool_call>{"name":"search","arguments":{"limit":007}}</tool_call>',
    calls: [],
    problems: ["malformed"],
  },
  { title: "a quoted call", text: '> {"name":"read_file","arguments":{"path":"a.txt"}}', calls: [] },
  { title: "no call at all", text: "Everything is done.", calls: [], rest: "Everything is done." },
  { title: "nothing", text: "", calls: [], rest: "" },

  // What only shows a call
  ...["tool_result", "tool_response", "antml:function_results", "example", "pre"].map((tag) => ({
    title: `a call within <${tag}>`,
    text: `It said:\n<${tag}>\n${shownCall}\n</${tag}>\nand so on`,
    calls: [],
    rest: `It said:\n<${tag}>\n${shownCall}\n</${tag}>\nand so on`,
  })),
  { title: "a result that is cut off", text: `<tool_result>\n${shownCall}\n`, calls: [] },
  {
    title: "a result that is named in a sentence",
    text: `The <tool_result> told me.\n${shownCall}`,
    calls: [read],
  },
  { title: "a comment", text: `<!-- ${shownCall} -->\nDone`, calls: [] },
  { title: "a quoted line, then a call", text: `> ${shownCall}\n\n${shownCall}`, calls: [read] },
  { title: "quotation marks within a sentence", text: `It said "${shownCall}" to me.`, calls: [] },
  { title: "thoughts in capitals", text: `<THINK>${shownCall}</THINK>Done`, calls: [], rest: "Done" },
  {
    title: "the definition of a tool, repeated",
    text: '{"name":"read_file","description":"Reads.","parameters":{"type":"object","properties":{"path":{}}}}',
    calls: [],
  },

  // What can be read in two ways
  {
    title: "an argument with a call in it, not escaped",
    text: `<tool_call name="write_file"><parameter name="content">${shownCall}${shownCall}</parameter></tool_call>`,
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "an argument that ends its own call and begins another",
    text: `<tool_call name="write_file"><parameter name="content">x</parameter></tool_call>${shownCall} y</parameter></tool_call>`,
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "a name that is given twice",
    text: '<tool_call name="read_file" name="write_file"></tool_call>',
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "a name before and a name behind the equals sign",
    text: '<function=read_file name="write_file"><parameter=path>a.txt</parameter></function>',
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "two tools in one object",
    text: '<tool_call>{"function":{"name":"read_file","arguments":{}},"name":"write_file","arguments":{}}</tool_call>',
    calls: [],
    problems: ["ambiguous"],
  },
  {
    title: "a whole number that cannot be kept exactly, as JSON and as text",
    text: `<tool_call>{"name":"search","arguments":{"limit":9007199254740993}}</tool_call>
<tool_call name="search"><parameter name="limit">9007199254740993</parameter></tool_call>`,
    calls: [],
    problems: ["ambiguous", "ambiguous"],
  },
  {
    title: "a tool's own tag with an attribute called name",
    text: '<current_time name="x" timezone="UTC"/>',
    calls: [["current_time", { name: "x", timezone: "UTC" }]],
  },
];
