// Tools in a provider's own format, in a prompt, and back from a model's text.
import assert from "node:assert/strict";
import { createTenon, parseToolCalls, printToolCall, renderPrometheus } from "tenon";

const tenon = createTenon();
const session = tenon.createSession({ toolset: "readonly" });

// For a provider's API: names are legal there, and lead back.
const { tools, toolNameOf, argumentsOf } = session.toLLMTools("openai", { strict: true });
assert.ok(tools.length > 0);
assert.equal(toolNameOf("read_file"), "read_file");
assert.deepEqual(argumentsOf("read_file", { path: "a.txt", start_line: null }), { path: "a.txt" });

// For a model without tool calling: the tools as text, within a budget.
const prompt = session.prompt({ format: "xml", maxTokens: 1500 });
assert.ok(prompt.tokens <= 1500);
assert.match(prompt.text, /To save space/);

// And its calls, however it writes them. This model was asked for fences; otherwise a fence in prose is an example.
const answer = `I look at the clock.\n\`\`\`json\n{'name': 'current_time', 'arguments': {'timezone': 'UTC',}}\n\`\`\``;
const { calls, problems, text } = parseToolCalls(answer, {
  tools: session.descriptions(),
  fences: true,
});
assert.equal(text, "I look at the clock.");
assert.deepEqual(problems, []);
assert.deepEqual(
  calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
  [{ name: "current_time", arguments: { timezone: "UTC" } }],
);

// What is printed is read back as it was.
const call = { name: "read_file", arguments: { path: "a & b.txt", start_line: 3 } };
const [back] = parseToolCalls(printToolCall(call, "xml")).calls;
assert.deepEqual(back?.arguments, call.arguments);

// What is cut off is never run.
assert.equal(
  parseToolCalls('{"name": "write_file", "arguments": {"path": "a", "content": "ha').calls.length,
  0,
);

for (const { name, arguments: args } of calls) await session.call({ name, arguments: args, taskId: "clock" });
assert.equal((await tenon.reflect("clock")).verdict, "complete");
assert.match(
  renderPrometheus(tenon.metrics.snapshot()),
  /tenon_tool_calls_total\{tool="current_time",outcome="success"\} 1/,
);
await tenon.close();
