import { toolCategories, type ToolDescription } from "../contract/tool.js";
import { toVisibleLine } from "../text/visible-text.js";
import type { Colors } from "./output.js";
import { columnsOf, cutColumns } from "./wrap.js";

/** The tools below the headings of their categories; every line fits the width. */
export function toolList(
  tools: readonly ToolDescription[],
  { colors, width }: { readonly colors: Colors; readonly width: number | undefined },
): string {
  const names = widest(["TOOL", ...tools.map(({ name }) => toVisibleLine(name))]);
  const marks = widest(["NOTES", ...tools.map(marksOf)]);
  const room = (width ?? Number.POSITIVE_INFINITY) - names - marks - 6;
  const row = (name: string, mark: string, text: string): string => {
    if (room >= minDescription)
      return `  ${pad(name, names)}  ${pad(mark, marks)}  ${cutColumns(text, room)}`;
    const below = mark === "" ? text : `${mark}  ${text}`;
    return `  ${name}\n    ${cutColumns(below, (width ?? 80) - 4)}`;
  };
  const groups = toolCategories
    .map((category) => ({ category, members: tools.filter((tool) => tool.category === category) }))
    .filter(({ members }) => members.length > 0);
  const blocks = groups.map(({ category, members }) => [
    colors.bold(`${category.toUpperCase()} (${members.length})`),
    ...members.map((tool) =>
      row(
        colors.cyan(toVisibleLine(tool.name)),
        room >= minDescription ? colors.dim(marksOf(tool)) : marksOf(tool),
        toVisibleLine(tool.description),
      ),
    ),
  ]);
  const header = room >= minDescription ? row("TOOL", "NOTES", "DESCRIPTION") : "  TOOL  NOTES  DESCRIPTION";
  return [colors.dim(header), ...blocks.map((lines) => lines.join("\n"))].join("\n\n");
}

/** Where less is left of a line, the description stands below the name. */
const minDescription = 20;

/** What the notes of the list mean, and where to read on. */
export const toolLegend = [
  "reads    changes nothing",
  "asks     needs your approval in mode ask",
  "outside  returns content from outside, which may be hostile",
  "Arguments and examples of a tool: tenon tools NAME",
].join("\n");

/** What a tool does to the world, in words. */
export function marksOf({ annotations }: ToolDescription): string {
  const words = [
    annotations.readOnly === true ? "reads" : undefined,
    annotations.dangerous === true ? "asks" : undefined,
    annotations.openWorld === true ? "outside" : undefined,
  ];
  return words.filter((word) => word !== undefined).join(",");
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(columnsOf));
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(width - columnsOf(text), 0));
}
