import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenon, defineTool, type Tenon } from "../src/index.js";
import { anyCharacter } from "./setup/any-character.js";

let root: string;
let tenon: Tenon;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-search-"));
  tenon = createTenon({
    workspace: root,
    config: {
      stateDir: join(root, ".state"),
      toolsets: { small: ["tool_search", "describe_tool", "read_*"] },
    },
    tools: Array.from({ length: 1000 }, (_, at) =>
      defineTool({
        name: `filler:thing_${at}`,
        description: `Does something with thing number ${at} of the store.`,
        category: "custom",
        input: { type: "object", properties: { orderId: { type: "string" } } },
        execute: () => at,
      }),
    ),
  });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

interface Found {
  readonly total: number;
  readonly tools: readonly { readonly name: string; readonly parameters: readonly string[] }[];
}

async function find(args: object, caller: Pick<Tenon, "call"> = tenon): Promise<Found> {
  const answer = await caller.call({ name: "tool_search", arguments: args });
  expect(answer.error).toBeUndefined();
  return answer.result as Found;
}

describe("tool_search", () => {
  it.each([
    ["edit a file", "edit_file"],
    ["rename or move files", "move_file"],
    ["run a shell command", "shell_exec"],
    ["find definitions in source code", "code_query"],
    ["bash", "shell_exec"],
    ["undo", "undo_edit"],
    ["make a requirement", "create_requirement"],
    ["READ_FILE", "read_file"],
    ["thing_512", "filler:thing_512"],
  ])("finds for %j among its first answers %s", async (query, name) => {
    const { tools } = await find({ query, limit: 5 });
    expect(tools.map((tool) => tool.name)).toContain(name);
  });

  it("finds by the names of arguments, however they are written", async () => {
    const { tools } = await find({ query: "order id", limit: 100 });
    expect(tools.every(({ parameters }) => parameters.includes("orderId"))).toBe(true);
  });

  it("lists a category where no words are given", async () => {
    const { tools, total } = await find({ query: "", category: "memory", limit: 100 });
    expect(total).toBe(tools.length);
    expect(tools.map(({ name }) => name)).toContain("save_insight");
  });

  it("shows an agent only what is in its toolset, and describes nothing else", async () => {
    const session = tenon.createSession({ toolset: "small" });
    const { tools } = await find({ query: "file", limit: 100 }, session);
    expect(tools.every(({ name }) => name.startsWith("read_"))).toBe(true);
    const hidden = await session.call({ name: "describe_tool", arguments: { name: "delete_file" } });
    expect(hidden).toFailWith("TOOL_NOT_FOUND");
  });

  it("sees a tool that came later, and no longer one that went", async () => {
    const late = defineTool({
      name: "xylophone",
      description: "Play.",
      category: "custom",
      input: { type: "object" },
      execute: () => 1,
    });
    tenon.register(late);
    expect((await find({ query: "xylophone" })).total).toBe(1);
    await tenon.registry.unregister("xylophone");
    expect((await find({ query: "xylophone" })).total).toBe(0);
  });

  it("takes any text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 900 }), async (query) => {
        const { tools, total } = await find({ query: query.toWellFormed() });
        expect(tools.length).toBeLessThanOrEqual(Math.min(total, 10));
      }),
      { numRuns: 100 },
    );
  });
});

describe("describe_tool", () => {
  it("gives what is needed to call a tool, by an alias too", async () => {
    const answer = await tenon.call({ name: "describe_tool", arguments: { name: "file_read" } });
    expect(answer).toSucceed({
      result: {
        name: "read_file",
        inputSchema: { required: ["path"] },
        outputSchema: { type: "object" },
      },
    });
  });
});
