import { ToolResourceNotFoundError } from "../../contract/errors.js";
import { toolCategories, type ToolCategory, type ToolDescription } from "../../contract/tool.js";
import { nearest } from "../../schema/nearest.js";
import { UsageError, type AddCommand, type CommonFlags, type Terminal } from "../command-line.js";
import { withSharedOptions } from "../shared-options.js";
import { withTenon } from "../open-tenon.js";
import { addToolsStats } from "./tools-stats.js";
import { colorsFor, writeJson } from "../output.js";
import { toolLegend, toolList } from "../tool-list.js";
import { createSpinner, whileWorking } from "../spinner.js";
import { wrap } from "../wrap.js";
import { toolPage } from "../tool-page.js";

/** `tenon tools`: the tools that can be called. */
export const addTools: AddCommand = (program, terminal) => {
  const tools = program.command("tools");
  withSharedOptions(tools.description("List the tools that can be called"))
    .argument("[name]", "tool to show in full")
    .option("--category <name>", `only one category: ${toolCategories.join(", ")}`)
    .action(async (name: string | undefined, flags: ToolsFlags) => {
      checkCategory(flags.category);
      await withTenon(terminal, flags, async ({ tenon, session }) => {
        const loading = tenon.ready().then(() => tenon.mcp.settle(5000));
        await whileWorking(createSpinner(terminal, flags), "Starting MCP servers and plugins,", loading);
        const described = session
          .tools()
          .filter((tool) => flags.category === undefined || tool.category === flags.category)
          .map((tool) => tenon.registry.describe(tool.name))
          .filter((description) => description !== undefined);
        if (name === undefined) showTools(terminal, flags, described);
        else showTool(terminal, flags, findOne(name, described));
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
  throw new ToolResourceNotFoundError(`Tool "${name}" not found.`, {
    hint: close === undefined ? "Run: tenon tools" : `Did you mean "${close}"?`,
  });
}

function showTools(terminal: Terminal, flags: ToolsFlags, tools: readonly ToolDescription[]): void {
  if (flags.json === true) {
    writeJson(terminal, tools);
    return;
  }
  const { stdout, env } = terminal;
  const isTerminal = stdout.isTTY === true;
  const colors = colorsFor(stdout, env);
  const width = isTerminal ? stdout.columns : undefined;
  const legend = wrap(toolLegend, width ?? 80).join("\n");
  stdout.write(`${toolList(tools, { colors, width })}\n${isTerminal ? `\n${colors.dim(legend)}\n` : ""}`);
}

function showTool(terminal: Terminal, flags: ToolsFlags, tool: ToolDescription): void {
  const { stdout, env } = terminal;
  if (flags.json === true) writeJson(terminal, tool);
  else stdout.write(`${toolPage(tool, { colors: colorsFor(stdout, env), width: stdout.columns })}\n`);
}
