// What the compiler knows of the built package. It is compiled, never run: each wrong line must stay wrong.
import { createTenon, defineTool, extendTool, type ToolEnvelope, type ToolResult } from "tenon";
import * as z from "zod";

type Same<A, B> = [A, B] extends [B, A] ? true : false;
const same = <A, B>(isSame: Same<A, B>): boolean => isSame;

const tenon = createTenon();
const session = tenon.createSession();

// An envelope is one of two: `success` says which.
const envelope = (await session.call({ name: "anything" })) as ToolEnvelope<number>;
if (envelope.success) {
  same<typeof envelope.result, number>(true);
  same<typeof envelope.error, undefined>(true);
} else {
  envelope.error.code.toUpperCase();
  same<typeof envelope.result, undefined>(true);
}

// A built-in tool by its name: arguments are checked, completed and the result is known.
const read = await session.call("read_file", { path: "a.txt", start_line: 1 });
if (read.success) {
  read.result.content.toUpperCase();
  // @ts-expect-error There is no such field.
  void read.result.contents;
}
// @ts-expect-error The path is a text.
void session.call("read_file", { path: 1 });
// @ts-expect-error The path is missing.
void session.call("read_file", {});
// @ts-expect-error There is no such argument.
void session.call("read_file", { path: "a", startLine: 1 });
const asRequest = await session.call({ name: "base64_encode", arguments: { text: "a" } });
if (asRequest.success) asRequest.result.encoded.toUpperCase();
// @ts-expect-error There is no such field in a request.
void session.call({ name: "base64_encode", args: {} });

// A tool by its value.
const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  category: "custom",
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  output: z.object({ sum: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});
const sum = await session.call(add, { a: 1 });
if (sum.success) same<typeof sum.result, { sum: number }>(true);
// @ts-expect-error "a" is a number.
void tenon.call(add, { a: "1" });
// @ts-expect-error "a" is missing.
void tenon.call(add, {});

const listed = defineTool({
  name: "listed",
  description: "Arguments as a list.",
  category: "custom",
  input: [
    { name: "who", type: "string", required: true },
    { name: "times", type: "integer", default: 1 },
  ],
  execute: ({ who, times }) => who.repeat(times),
});
const repeated = await session.call(listed, { who: "x" });
if (repeated.success) same<typeof repeated.result, string>(true);
// @ts-expect-error "who" is missing.
void session.call(listed, {});

// What a tool wraps is unwrapped; generators and promises give what they return.
const wrapped = defineTool({
  name: "wrapped",
  description: "Wraps its result.",
  category: "custom",
  input: z.object({}),
  execute: async (): Promise<ToolResult<{ n: number }>> => ({ success: true, data: { n: 1 } }),
});
const unwrapped = await session.call(wrapped, {});
if (unwrapped.success) same<typeof unwrapped.result, { n: number }>(true);
const steps = defineTool({
  name: "steps",
  description: "Reports while it runs.",
  category: "custom",
  input: z.object({}),
  async *execute() {
    yield "half";
    return 7;
  },
});
const stepped = await session.call(steps, {});
if (stepped.success) same<typeof stepped.result, number>(true);

// An extended tool is called like the one that it extends.
const louder = extendTool(add, { description: "Add.", before: ({ a }) => ({ a, b: 2 }) });
const extended = await session.call(louder, { a: 1, b: 2 });
if (extended.success) same<typeof extended.result, { sum: number }>(true);

// A name that is only known at run time takes and gives anything.
const dynamic = await session.call("server:tool", { any: "thing" });
if (dynamic.success) same<typeof dynamic.result, unknown>(true);

// @ts-expect-error `mode` is a setting: createTenon({ config: { mode } }).
createTenon({ mode: "ask" });
// @ts-expect-error There is no such option.
tenon.createSession({ toolSet: "all" });
