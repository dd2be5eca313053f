import { definePlugin, defineTool, ToolExecutionError } from "tenon";
import type { ContentPart, Tool, ToolContext } from "tenon";
import * as z from "zod";

type Params = Readonly<Record<string, unknown>>;

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

/** A tool without arguments that shows fixed parts. */
const shows = (name: string, parts: readonly ContentPart[]): Tool =>
  defineTool({
    name,
    description: `Conformance fixture: ${name}.`,
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({}),
    execute: () => "shown",
    render: () => parts,
  });

/** A tool that does something with the host and answers in a text. */
const does = (
  name: string,
  run: (ctx: ToolContext, input: Params) => Promise<string>,
  input: z.ZodType = z.object({}),
): Tool =>
  defineTool({
    name,
    description: `Conformance fixture: ${name}.`,
    category: "custom",
    annotations: { readOnly: true },
    input,
    execute: (given, ctx) => run(ctx, given as Params),
  });

const clientOf = (ctx: ToolContext) => {
  if (ctx.client === undefined) throw new ToolExecutionError("No MCP host is there.", {});
  return ctx.client;
};

const named = (key: string, params: Params): Params => ({ ...params, _meta: { "tenon/inputKey": key } });

const asking = (message: string, properties: Params): Params => ({
  message,
  requestedSchema: { type: "object", properties, required: Object.keys(properties) },
});

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const sampling = (prompt: string, maxTokens = 100): Params => ({
  messages: [{ role: "user", content: { type: "text", text: prompt } }],
  maxTokens,
});

const content: readonly Tool[] = [
  shows("test_reconnection", [{ type: "text", text: "Reconnection test completed" }]),
  shows("test_simple_text", [{ type: "text", text: "This is a simple text response for testing." }]),
  shows("test_image_content", [{ type: "image", data: pixel, mimeType: "image/png" }]),
  shows("test_audio_content", [{ type: "audio", data: silence, mimeType: "audio/wav" }]),
  shows("test_embedded_resource", [
    {
      type: "resource",
      uri: "test://embedded-resource",
      mimeType: "text/plain",
      text: "This is an embedded resource content.",
    },
  ]),
  shows("test_multiple_content_types", [
    { type: "text", text: "Multiple content types test:" },
    { type: "image", data: pixel, mimeType: "image/png" },
    {
      type: "resource",
      uri: "test://mixed-content-resource",
      mimeType: "application/json",
      text: '{"test":"data","value":123}',
    },
  ]),
  does("test_error_handling", async () => {
    throw new ToolExecutionError("This tool intentionally returns an error for testing", {});
  }),
];

const running: readonly Tool[] = [
  defineTool({
    name: "test_tool_with_progress",
    description: "Conformance fixture: reports progress.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({}),
    async *execute(_, { clock, signal }) {
      for (const progress of [0, 50, 100]) {
        yield { progress, total: 100, message: `Completed step ${progress} of 100` };
        await clock.sleep(20, signal);
      }
      return "done";
    },
  }),
  ...["test_tool_with_logging", "test_logging_tool"].map((name) =>
    does(name, async (ctx) => {
      for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        clientOf(ctx).log("info", message);
        await ctx.clock.sleep(20, ctx.signal);
      }
      return "logged";
    }),
  ),
];

const asked: readonly Tool[] = [
  does(
    "test_sampling",
    async (ctx, { prompt }) =>
      `LLM response: ${text(await clientOf(ctx).sample(sampling(String(prompt)), ctx.signal))}`,
    z.object({ prompt: z.string() }),
  ),
  does(
    "test_elicitation",
    async (ctx, { message }) => {
      const fields = {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      };
      return `User response: ${text(await clientOf(ctx).elicit(asking(String(message), fields), ctx.signal))}`;
    },
    z.object({ message: z.string() }),
  ),
  does("test_elicitation_sep1034_defaults", async (ctx) => {
    const properties = {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    };
    const { action, content: given } = await clientOf(ctx).elicit(
      { message: "Please check the defaults", requestedSchema: { type: "object", properties, required: [] } },
      ctx.signal,
    );
    return `Elicitation completed: action=${action}, content=${text(given)}`;
  }),
  does("test_elicitation_sep1330_enums", async (ctx) => {
    const options = ["option1", "option2", "option3"];
    const titled = ["First", "Second", "Third"].map((title, at) => ({
      const: `value${at + 1}`,
      title: `${title} Option`,
    }));
    const properties = {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled } },
    };
    const { action, content: given } = await clientOf(ctx).elicit(
      { message: "Please choose", requestedSchema: { type: "object", properties, required: [] } },
      ctx.signal,
    );
    return `Elicitation completed: action=${action}, content=${text(given)}`;
  }),
];

const nameForm = named("user_name", asking("What is your name?", { name: { type: "string" } }));
const okForm = named("confirm", asking("Please confirm", { ok: { type: "boolean" } }));

const rounds: readonly Tool[] = [
  does("test_input_required_result_elicitation", async (ctx) => {
    const { content: given } = await clientOf(ctx).elicit(nameForm, ctx.signal);
    return `Hello, ${text(given?.["name"])}!`;
  }),
  does("test_input_required_result_sampling", async (ctx) =>
    text(
      await clientOf(ctx).sample(
        named("capital_question", sampling("What is the capital of France?")),
        ctx.signal,
      ),
    ),
  ),
  does("test_input_required_result_list_roots", async (ctx) =>
    text(await clientOf(ctx).request?.("roots/list", named("client_roots", {}), ctx.signal)),
  ),
  does("test_input_required_result_request_state", async (ctx) => {
    await clientOf(ctx).elicit(okForm, ctx.signal);
    return "state-ok";
  }),
  does("test_input_required_result_tampered_state", async (ctx) => {
    await clientOf(ctx).elicit(okForm, ctx.signal);
    return "state-ok";
  }),
  does("test_input_required_result_multiple_inputs", async (ctx) => {
    const answers = await Promise.all([
      clientOf(ctx).elicit(nameForm, ctx.signal),
      clientOf(ctx).sample(named("greeting", sampling("Generate a greeting", 50)), ctx.signal),
      clientOf(ctx).request?.("roots/list", named("client_roots", {}), ctx.signal),
    ]);
    return text(answers);
  }),
  does("test_input_required_result_multi_round", async (ctx) => {
    const step = (key: string, message: string, field: string) =>
      clientOf(ctx).elicit(named(key, asking(message, { [field]: { type: "string" } })), ctx.signal);
    const first = await step("step1", "Step 1: What is your name?", "name");
    const second = await step("step2", "Step 2: What is your favorite color?", "color");
    return text([first.content, second.content]);
  }),
  does("test_input_required_result_capabilities", async (ctx) => {
    const client = clientOf(ctx);
    if (client.supports.elicitForm) return text(await client.elicit(nameForm, ctx.signal));
    return text(await client.sample(named("greeting", sampling("Generate a greeting")), ctx.signal));
  }),
  does("test_missing_capability", async (ctx) =>
    text(await clientOf(ctx).sample(sampling("Anything"), ctx.signal)),
  ),
  does("test_streaming_elicitation", async (ctx) => text(await clientOf(ctx).elicit(nameForm, ctx.signal))),
];

/** What the conformance suite of MCP calls; only tests load it. */
export default definePlugin({
  name: "mcp-conformance",
  version: "1.0.0",
  tools: [...content, ...running, ...asked, ...rounds],
});
