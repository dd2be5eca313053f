import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { TenonConfig } from "../../config/config-schema.js";
import { defineTool } from "../../contract/define-tool.js";
import { createTenon } from "../create-tenon.js";

const inner = defineTool({
  name: "inner",
  description: "Answer.",
  category: "custom",
  aliases: ["within"],
  annotations: { readOnly: true },
  input: z.object({ secret: z.string().optional() }),
  execute: () => ({ fine: true }),
});
const outer = defineTool({
  name: "outer",
  description: "Call another tool.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({}),
  execute: async (_, { call }) => (await call({ name: "within", arguments: {} })).result,
});

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeAll(() => provider.register());
afterAll(async () => {
  await provider.shutdown();
  trace.disable();
  context.disable();
});

async function spansOf(
  run: (tenon: ReturnType<typeof createTenon>) => Promise<unknown>,
  {
    telemetry = true,
    config = {},
  }: { telemetry?: boolean | { recordContent: boolean }; config?: TenonConfig } = {},
): Promise<ReadableSpan[]> {
  exporter.reset();
  const tenon = createTenon({
    tools: [inner, outer],
    builtIns: false,
    telemetry,
    config: { database: ":memory:", ...config },
  });
  await run(tenon);
  await tenon.close();
  return exporter.getFinishedSpans();
}

const byName = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} in ${spans.map((span) => span.name).join(", ")}`);
  return found;
};

describe("spans", () => {
  it("follow the conventions for execute_tool, nested below the caller's span", async () => {
    let root = "";
    const spans = await spansOf((tenon) =>
      trace.getTracer("test").startActiveSpan("request", async (span) => {
        root = span.spanContext().spanId;
        await tenon.call({ id: "c1", name: "outer", taskId: "t1" });
        span.end();
      }),
    );
    const [above, below] = [byName(spans, "execute_tool outer"), byName(spans, "execute_tool inner")];
    expect(above.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "outer",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.type": "function",
      "gen_ai.agent.name": "default",
      "tenon.task.id": "t1",
    });
    expect(above.parentSpanContext?.spanId).toBe(root);
    expect(below.parentSpanContext?.spanId).toBe(above.spanContext().spanId);
    expect(below.attributes["gen_ai.tool.name"]).toBe("inner");
    expect(above.events.map(({ name }) => name)).toEqual(["started"]);
    expect(above.status.code).toBe(SpanStatusCode.UNSET);
  });

  it("tell what failed, refusals too", async () => {
    const spans = await spansOf((tenon) => tenon.call({ name: "nothing" }));
    const span = byName(spans, "execute_tool nothing");
    expect(span.attributes["error.type"]).toBe("TOOL_NOT_FOUND");
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
  });

  it("hold arguments and results only where that was asked for", async () => {
    const run = (tenon: ReturnType<typeof createTenon>) =>
      tenon.call({ name: "inner", arguments: { secret: "abc" } });
    const without = byName(await spansOf(run), "execute_tool inner");
    expect(JSON.stringify(without.attributes)).not.toMatch(/abc|fine/);
    const withContent = byName(
      await spansOf(run, { telemetry: { recordContent: true } }),
      "execute_tool inner",
    );
    expect(withContent.attributes["gen_ai.tool.call.arguments"]).toContain("secret");
    expect(withContent.attributes["gen_ai.tool.call.result"]).toBe('{"fine":true}');
  });

  it("are not made where nobody wants them, nor of a tool that is not to be traced", async () => {
    expect(await spansOf((tenon) => tenon.call({ name: "inner" }), { telemetry: false })).toEqual([]);
    const config = { tools: { perTool: { outer: { monitoring: { enableTracing: false } } } } };
    const spans = await spansOf((tenon) => tenon.call({ name: "outer" }), { config });
    expect(spans.map(({ name }) => name)).toEqual(["execute_tool inner"]);
  });

  it("end once each, also for many calls with one id at the same time", async () => {
    const spans = await spansOf((tenon) =>
      tenon.callMany(Array.from({ length: 50 }, () => ({ id: "same", name: "outer" }))),
    );
    expect(spans).toHaveLength(100);
  });
});

describe("the exporter of the configuration", () => {
  it("sends spans to a collector before close resolves", async () => {
    const bodies: string[] = [];
    const headers: unknown[] = [];
    const collector = createServer((request, response) => {
      headers.push([request.url, request.headers["x-key"]]);
      void text(request).then((body) => {
        bodies.push(body);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
    const { port } = collector.address() as AddressInfo;
    const tenon = createTenon({
      tools: [inner],
      builtIns: false,
      config: {
        database: ":memory:",
        telemetry: {
          otlpEndpoint: `http://127.0.0.1:${port}`,
          headers: { "x-key": "k" },
          serviceName: "shop",
        },
      },
    });
    await tenon.call({ name: "inner" });
    await tenon.close();
    await new Promise((resolve) => collector.close(resolve));
    expect(headers).toEqual([["/v1/traces", "k"]]);
    expect(bodies[0]).toContain("execute_tool inner");
    expect(bodies[0]).toContain("shop");
  });

  it("lets Tenon close though the collector is gone", async () => {
    const tenon = createTenon({
      tools: [inner],
      builtIns: false,
      config: { database: ":memory:", telemetry: { otlpEndpoint: "http://127.0.0.1:1" } },
    });
    await tenon.call({ name: "inner" });
    await expect(tenon.close()).resolves.toBeUndefined();
  });
});
