import { createRequire } from "node:module";
import type * as tokenx from "tokenx";
import type { JsonSchema } from "../contract/json.js";
import type { ToolDescription } from "../contract/tool.js";
import { checkKeys, type KeysOf } from "../schema/check-keys.js";
import { plural } from "../text/plural.js";
import { printToolCall, promptFormats, type PromptFormat } from "./print-tool-call.js";
import { parseToolCalls, type ParsedText } from "./parse/parse-tool-calls.js";
import { selectTools } from "./selection-guide.js";
import { toolDefinitionText, type DetailLevel } from "./tool-definition-text.js";

/** How tools are described in a prompt. */
export interface ToolPromptOptions {
  /** @default "xml" */
  readonly format?: PromptFormat | undefined;
  /** Say less of the tools, and say that it is less, where the prompt would be longer. @default no limit */
  readonly maxTokens?: number | undefined;
  /** Which tool suits which task. @default true */
  readonly guide?: boolean | undefined;
  /** How tokens are counted. @default an estimate */
  readonly countTokens?: ((text: string) => number) | undefined;
}

const optionKeys: KeysOf<ToolPromptOptions> = {
  format: true,
  maxTokens: true,
  guide: true,
  countTokens: true,
};

/** A system prompt, and what it had to leave out. */
export interface ToolPrompt {
  readonly text: string;
  /** By the counter of the options. */
  readonly tokens: number;
  /** Tools that are described in full, in short, by name only, and not at all. */
  readonly full: readonly string[];
  readonly short: readonly string[];
  readonly named: readonly string[];
  readonly omitted: readonly string[];
}

/** A tool for a prompt: as a session describes it, or in plain. */
export type PromptTool =
  | ToolDescription
  | { readonly name: string; readonly description: string; readonly schema?: JsonSchema };

/** Writes tools into a system prompt for models without tool calling of their own, and reads their calls. */
export class ToolPromptGenerator {
  readonly format: PromptFormat;
  readonly #options: ToolPromptOptions;

  constructor(options: ToolPromptOptions = {}) {
    checkKeys(options, optionKeys, "ToolPromptGenerator");
    this.format = options.format ?? "xml";
    if (!promptFormats.includes(this.format))
      throw new TypeError(`Unknown format "${this.format}". Available formats: ${promptFormats.join(", ")}.`);
    this.#options = options;
  }

  /** The system prompt with all tools, in the order of their names, within the budget. */
  generateSystemPrompt(tools: readonly PromptTool[]): string {
    return this.generate(tools).text;
  }

  /** The system prompt, and what was left out of it. */
  generate(tools: readonly PromptTool[]): ToolPrompt {
    const sorted = tools
      .map(toDescription)
      .toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
    const count = this.#options.countTokens ?? estimateTokens;
    const { maxTokens = Infinity } = this.#options;
    for (const plan of plans(sorted)) {
      const prompt = this.#write(plan, count);
      if (prompt.tokens <= maxTokens) return prompt;
    }
    return this.#fitNames(sorted, { count, maxTokens });
  }

  /** One tool as XML. */
  toolToXml(tool: PromptTool): string {
    return toolDefinitionText(toDescription(tool), "xml");
  }

  /** One tool as JSON. */
  toolToJson(tool: PromptTool): string {
    return toolDefinitionText(toDescription(tool), "json");
  }

  /** Read the calls in a model's answer to such a prompt. */
  parse(text: string, tools: readonly PromptTool[]): ParsedText {
    return parseToolCalls(text, { tools: tools.map(toDescription) });
  }

  /** As many names as fit; if not even the frame fits, only the frame. */
  #fitNames(
    sorted: readonly ToolDescription[],
    by: { count: (text: string) => number; maxTokens: number },
  ): ToolPrompt {
    let low = 0;
    let high = sorted.length;
    let best = this.#write({ levels: new Map(), sorted, bare: true }, by.count);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const levels = new Map(sorted.slice(0, middle).map(({ name }) => [name, "names" as const]));
      const prompt = this.#write({ levels, sorted, bare: true }, by.count);
      if (prompt.tokens <= by.maxTokens) {
        best = prompt;
        low = middle;
      } else high = middle - 1;
    }
    return best;
  }

  #write({ levels, sorted, bare }: Plan, count: (text: string) => number): ToolPrompt {
    const at = (level: DetailLevel | undefined): string[] =>
      sorted.flatMap(({ name }) => (levels.get(name) === level ? [name] : []));
    const listed = sorted.flatMap((tool) => {
      const level = levels.get(tool.name);
      return level === undefined ? [] : [toolDefinitionText(tool, this.format, level)];
    });
    const [full, short, named, omitted] = [at("full"), at("short"), at("names"), at(undefined)];
    const withGuide = this.#options.guide !== false && !bare;
    const text = [
      intro(this.format),
      wrap(listed, this.format),
      ...leftOut({ short, named, omitted, sorted }),
      ...(withGuide ? guideText(sorted) : []),
      ...(bare ? [] : [rules]),
    ].join("\n\n");
    return { text, tokens: count(text), full, short, named, omitted };
  }
}

/**
 * The prompt with all tools in one call.
 *
 * @example
 * generateToolsPrompt([{ name: "greet", description: "Greet someone.", schema: { type: "object" } }], "xml");
 */
export function generateToolsPrompt(tools: readonly PromptTool[], format: PromptFormat = "xml"): string {
  return new ToolPromptGenerator({ format }).generateSystemPrompt(tools);
}

function toDescription(tool: PromptTool): ToolDescription {
  if ("inputSchema" in tool) return tool;
  const { name, description, schema = { type: "object" } } = tool;
  return {
    name,
    description,
    inputSchema: schema,
    version: "1.0.0",
    category: "custom",
    aliases: [],
    annotations: {},
  };
}

interface Plan {
  readonly sorted: readonly ToolDescription[];
  readonly levels: ReadonlyMap<string, DetailLevel>;
  /** Without advice. */
  readonly bare: boolean;
}

/** From everything to names: first all in full, then the guide's tools in full and the others in short, then all in short… */
function* plans(sorted: readonly ToolDescription[]): Generator<Plan> {
  const advised = new Set(selectTools(sorted).map(([, tool]) => tool));
  const levels = (common: DetailLevel, others: DetailLevel): Map<string, DetailLevel> =>
    new Map(sorted.map(({ name }) => [name, advised.has(name) ? common : others]));
  yield { sorted, levels: levels("full", "full"), bare: false };
  if (advised.size > 0) yield { sorted, levels: levels("full", "short"), bare: false };
  yield { sorted, levels: levels("short", "short"), bare: false };
  if (advised.size > 0) yield { sorted, levels: levels("short", "names"), bare: false };
  yield { sorted, levels: levels("names", "names"), bare: false };
  yield { sorted, levels: levels("names", "names"), bare: true };
}

function intro(format: PromptFormat): string {
  const example = printToolCall(
    { name: "TOOL", arguments: format === "xml" ? { PARAMETER: "value", COUNT: 3 } : { PARAMETER: "value" } },
    format,
  );
  return `You can use tools. To call one, write exactly this, outside of code fences, and then stop:\n\n${example}\n\n${
    format === "xml"
      ? 'Write texts with &lt; &gt; &amp; escaped, or in <![CDATA[ ]]>; values that are not text as JSON with type="json".'
      : "The arguments are one JSON object that fits the tool's parameters."
  }`;
}

function wrap(listed: readonly string[], format: PromptFormat): string {
  if (format === "xml") return `<tools>\n${listed.map((text) => `${text}\n`).join("")}</tools>`;
  return `Tools:\n[${listed.map((text) => `\n${text}`).join(",")}\n]`;
}

function leftOut(of: {
  readonly short: readonly string[];
  readonly named: readonly string[];
  readonly omitted: readonly string[];
  readonly sorted: readonly ToolDescription[];
}): string[] {
  const names = new Set(of.sorted.map(({ name }) => name));
  const finder = ["describe_tool", "tool_search"].find((name) => names.has(name));
  const how = finder === undefined ? "" : ` Call ${finder} to see more.`;
  const lines = [
    ...(of.short.length > 0 ? [`${plural(of.short.length, "tool")} described in short`] : []),
    ...(of.named.length > 0 ? [`${plural(of.named.length, "tool")} listed by name only`] : []),
    ...(of.omitted.length > 0 ? [`${plural(of.omitted.length, "tool")} not listed`] : []),
  ];
  return lines.length === 0 ? [] : [`To save space: ${lines.join(", ")}.${how}`];
}

function guideText(tools: readonly ToolDescription[]): string[] {
  const lines = selectTools(tools).map(([task, tool]) => `- ${task}: ${tool}`);
  return lines.length === 0 ? [] : [`Which tool for which task:\n${lines.join("\n")}`];
}

const rules = [
  "Rules:",
  "- Call only tools from the list, with the parameters that they name.",
  "- You may write several calls; independent ones run at the same time.",
  "- Wait for the results before you rely on them; never invent a result.",
  "- When a call fails, read its message and hint, and correct the call; do not repeat it unchanged.",
  "- When the task is done, answer in plain text without a call.",
].join("\n");

/** Loaded when first needed: most programs never count. */
function estimateTokens(text: string): number {
  const { estimateTokenCount } = createRequire(import.meta.url)("tokenx") as typeof tokenx;
  return estimateTokenCount(text);
}
