import { describe, expect, it } from "vitest";
import * as z from "zod";
import { networkTools } from "./index.js";

const named = Object.entries(networkTools).map(([name, make]) => [name, make()] as const);

describe("the tools in network/", () => {
  it("are these", () => {
    expect(named.map(([name]) => name)).toEqual([
      "http_get",
      "http_post",
      "http_request",
      "web_fetch",
      "web_search",
    ]);
  });

  it.each(named)("%s describes itself and its arguments", (_name, tool) => {
    expect(tool.description).toMatch(/^[A-Z][^\n]+\.$/);
    expect(tool).toMatchObject({ category: "network", annotations: { openWorld: true } });
    expect(tool.timeoutMs).toBeUndefined();
    const schema = z.toJSONSchema(tool.input as z.ZodType) as { properties: Record<string, object> };
    for (const argument of Object.values(schema.properties)) expect(argument).toHaveProperty("description");
  });

  it.each(named)("%s has examples that fit its schema", (_name, tool) => {
    expect(tool.examples?.length).toBeGreaterThan(0);
    for (const example of tool.examples ?? []) {
      expect((tool.input as z.ZodType).safeParse(example.arguments).success).toBe(true);
    }
  });

  it.each(named)("%s either only reads or is dangerous", (_name, { annotations }) => {
    expect(annotations?.readOnly === true).toBe(annotations?.dangerous !== true);
    expect(annotations?.idempotent === true).toBe(annotations?.readOnly === true);
  });
});
