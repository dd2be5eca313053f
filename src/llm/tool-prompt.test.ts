import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDescription } from "../contract/tool.js";
import { createTenon } from "../runtime/create-tenon.js";
import { parseToolCalls } from "./parse/parse-tool-calls.js";
import { promptFormats } from "./print-tool-call.js";
import { generateToolsPrompt, ToolPromptGenerator } from "./tool-prompt.js";

const describeTool = (name: string, extra: Partial<ToolDescription> = {}): ToolDescription => ({
  name,
  version: "1.0.0",
  description: `Does ${name}. It can do this in very many ways, which are all told here at some length.`,
  category: "custom",
  aliases: [],
  annotations: {},
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", description: "Where it is." },
      kind: { enum: ["a", "b"] },
      limit: { type: "integer", default: 3 },
      parts: { type: "array", items: { type: "object", properties: { x: { type: "number" } } } },
    },
    required: ["path"],
  },
  ...extra,
});
const many = Array.from({ length: 60 }, (_, at) => describeTool(`tool_${String(at).padStart(2, "0")}`));

describe("ToolPromptGenerator", () => {
  it("describes a tool as XML with its parameters", () => {
    const xml = new ToolPromptGenerator().toolToXml(
      describeTool("read<file", {
        annotations: { dangerous: true },
        examples: [{ arguments: { path: "a & b" } }],
      }),
    );
    expect(xml).toContain('<tool name="read&lt;file" asks_the_person="true">');
    expect(xml).toContain('<parameter name="path" type="string" required="true">Where it is.</parameter>');
    expect(xml).toContain('type="&quot;a&quot; | &quot;b&quot;"');
    expect(xml).toContain('default="3"');
    expect(xml).toContain('<example>{"path":"a &amp; b"}</example>');
  });

  it("describes a tool as JSON that can be parsed", () => {
    const tool = describeTool("read_file");
    expect(JSON.parse(new ToolPromptGenerator().toolToJson(tool))).toEqual({
      name: "read_file",
      description: tool.description,
      parameters: tool.inputSchema,
    });
  });

  it("names every tool once, in the order of names, whatever order they come in", () => {
    for (const format of promptFormats) {
      const generator = new ToolPromptGenerator({ format });
      const text = generator.generateSystemPrompt(many);
      expect(generator.generateSystemPrompt(many.toReversed())).toBe(text);
      const at = many.map(({ name }) => text.indexOf(`"${name}"`));
      expect(at.every((place, index) => place > (at[index - 1] ?? -1))).toBe(true);
      expect(text).not.toContain("To save space");
    }
  });

  it("advises the visible tools only", () => {
    const tools = [describeTool("read_file"), describeTool("code_query")];
    const text = new ToolPromptGenerator().generateSystemPrompt(tools);
    expect(text).toContain("- Read a file: read_file");
    expect(text).toContain("- Find code, definitions or text: code_query");
    expect(text).not.toContain("shell_exec");
    expect(new ToolPromptGenerator({ guide: false }).generateSystemPrompt(tools)).not.toContain("Which tool");
  });

  it.each(promptFormats)(
    "keeps to any budget that its frame fits in, and says what it left out (%s)",
    (format) => {
      const tools = [...many, describeTool("read_file"), describeTool("tool_search")];
      const frame = new ToolPromptGenerator({ format, maxTokens: 1 }).generate(tools).tokens;
      fc.assert(
        fc.property(fc.integer({ min: frame, max: 12_000 }), (maxTokens) => {
          const prompt = new ToolPromptGenerator({ format, maxTokens }).generate(tools);
          expect(prompt.tokens).toBeLessThanOrEqual(maxTokens);
          const { full, short, named, omitted } = prompt;
          expect([...full, ...short, ...named, ...omitted].toSorted()).toEqual(
            tools.map(({ name }) => name).toSorted(),
          );
          expect(prompt.text.includes("To save space")).toBe(full.length < tools.length);
          if (full.length < tools.length) expect(prompt.text).toContain("tool_search");
        }),
        { numRuns: 30 },
      );
    },
  );

  it("says more where there is more room", () => {
    const sizes = [200, 800, 2000, 6000, 20_000].map((maxTokens) => {
      const { full, short, named } = new ToolPromptGenerator({ maxTokens }).generate(many);
      return full.length * 100 + short.length * 10 + named.length;
    });
    expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
  });

  it("shows calls in the way that parseToolCalls reads", () => {
    for (const format of promptFormats) {
      const text = new ToolPromptGenerator({ format }).generateSystemPrompt([]);
      expect(parseToolCalls(text).calls).toMatchObject([{ name: "TOOL", arguments: { PARAMETER: "value" } }]);
    }
  });

  it("describes the tools of a session, or one of them", async () => {
    const tenon = createTenon({ config: { database: ":memory:" } });
    const all = tenon.prompt({ format: "json" });
    expect(all.full).toContain("read_file");
    expect(all.full).toEqual(all.full.toSorted());
    const readonly = tenon.createSession({ toolset: "readonly" });
    expect(readonly.prompt().full).not.toContain("write_file");
    expect(tenon.prompt({ tool: "file_read" }).full).toEqual(["read_file"]);
    expect(() => tenon.prompt({ tool: "read_fil" })).toThrow(/read_fil/);
    await tenon.close();
  });
});

describe("plain tools", () => {
  const plain = {
    name: "greet",
    description: "Greet.",
    schema: { type: "object", properties: { who: { type: "string" } } },
  };

  it("are enough for a prompt, one definition and reading calls back", () => {
    const generator = new ToolPromptGenerator({ format: "json" });
    expect(generator.generateSystemPrompt([plain])).toContain('"who"');
    expect(generator.toolToXml(plain)).toContain('<parameter name="who" type="string"/>');
    expect(generator.parse('{"name": "greet", "arguments": {"who": "Ada"}}', [plain]).calls).toHaveLength(1);
    expect(generateToolsPrompt([plain, { name: "ping", description: "Ping." }], "xml")).toContain(
      '<tool name="ping">',
    );
  });
});
