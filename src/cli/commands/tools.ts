import { toolCategories, type ToolCategory, type ToolDescription } from "../../contract/tool.js";
import { nearest } from "../../schema/nearest.js";
import {
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { addToolsStats } from "./tools-stats.js";
import { colorsFor, table, writeJson } from "../output.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon tools`: the tools that can be called. */
export const addTools: AddCommand = (program, terminal) => {
  const tools = program.command("tools");
  withCommonFlags(tools.description("List the tools that can be called"))
    .argument("[name]", "tool to show in full")
    .option("--category <name>", `only one category: ${toolCategories.join(", ")}`)
    .action(async (name: string | undefined, flags: ToolsFlags) => {
      checkCategory(flags.category);
      await withTenon(terminal, flags, async ({ tenon, session }) => {
        await tenon.ready();
        await tenon.mcp.settle(5000);
        const described = session
          .tools()
          .filter((tool) => flags.category === undefined || tool.category === flags.category)
          .map((tool) => tenon.registry.describe(tool.name))
          .filter((description) => description !== undefined);
        show(
          terminal,
          flags,
          name === undefined ? described : [findOne(name, described)],
          name !== undefined,
        );
      });
    });
  addToolsStats(tools, terminal);
};

interface ToolsFlags extends CommonFlags {
  readonly category?: string;
}

function checkCategory(category: string | undefined): void {
  if (category === undefined || toolCategories.includes(category as ToolCategory)) return;
  const close = nearest(category, toolCategories);
  throw new UsageError(
    `Unknown category "${category}".${close === undefined ? ` Use one of: ${toolCategories.join(", ")}.` : ` Did you mean "${close}"?`}`,
  );
}

function findOne(name: string, tools: readonly ToolDescription[]): ToolDescription {
  const found = tools.find((tool) => tool.name === name || tool.aliases.includes(name));
  if (found !== undefined) return found;
  const close = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  throw new UsageError(`Tool "${name}" not found.${close === undefined ? "" : ` Did you mean "${close}"?`}`);
}

function show(terminal: Terminal, flags: ToolsFlags, tools: readonly ToolDescription[], full: boolean): void {
  if (flags.json === true) {
    writeJson(terminal, full ? tools[0] : tools);
    return;
  }
  const colors = colorsFor(terminal.stdout, terminal.env);
  if (full) {
    for (const tool of tools) terminal.stdout.write(`${describe(tool, colors)}\n`);
    return;
  }
  const rows = tools.map((tool) => [
    colors.bold(toVisibleLine(tool.name)),
    colors.dim(tool.category),
    marks(tool),
    toVisibleLine(tool.description),
  ]);
  terminal.stdout.write(`${table(rows, terminal.stdout.columns)}\n`);
}

function describe(tool: ToolDescription, colors: ReturnType<typeof colorsFor>): string {
  const lines = [
    `${colors.bold(toVisibleLine(tool.name))} ${colors.dim(`${toVisibleLine(tool.version)}, ${tool.category}`)} ${marks(tool)}`.trimEnd(),
    toVisibleText(tool.description),
    ...(tool.aliases.length > 0 ? [`Aliases: ${tool.aliases.map(toVisibleLine).join(", ")}`] : []),
    "Input:",
    toVisibleText(JSON.stringify(tool.inputSchema, undefined, 2)),
    ...(tool.outputSchema === undefined
      ? []
      : ["Output:", toVisibleText(JSON.stringify(tool.outputSchema, undefined, 2))]),
  ];
  return lines.join("\n");
}

function marks({ annotations }: ToolDescription): string {
  const words = [
    annotations.readOnly === true ? "reads" : undefined,
    annotations.dangerous === true ? "asks" : undefined,
    annotations.openWorld === true ? "outside" : undefined,
  ];
  return words.filter((word) => word !== undefined).join(",");
}
