// What the compiler knows of `tenon/testing`. It is compiled, never run.
import { builtInTools, createTenon, extendTool } from "tenon";
import { createTestContext, toFailWith, toSucceed, type TenonMatchers } from "tenon/testing";

const ctx = await createTestContext({ files: { "a.txt": "hi" }, config: { mode: "ask" } });
const read = await builtInTools.read_file.execute({ path: "a.txt" }, ctx);
read.content.toUpperCase();
// @ts-expect-error The path is a text.
void builtInTools.read_file.execute({ path: 1 }, ctx);
// @ts-expect-error There is no such tool.
void builtInTools.read_fil;
// @ts-expect-error There is no such option.
void createTestContext({ file: {} });

// The context has the types of the main entry: its session and its Tenon can be passed on.
const answer = await ctx.session.call(builtInTools.read_file, { path: "a.txt" });
if (answer.success) answer.result.content.toUpperCase();
await ctx.tenon.close();
createTenon({ builtIns: false, tools: [builtInTools.grep, extendTool(builtInTools.glob, { name: "find" })] });

declare function expect(value: unknown): TenonMatchers;
expect(answer).toFailWith("RESOURCE_NOT_FOUND", { retryable: false });
// @ts-expect-error An envelope has no such field.
expect(answer).toSucceed({ results: 1 });
export const matchers = { toFailWith, toSucceed };
