import { stripVTControlCharacters } from "node:util";
import type { Feature, Requirement, Task, TaskStatus } from "../contract/ports/plan.js";
import type { colorsFor } from "./output.js";
import { columnsOf, wrap } from "./wrap.js";
import { toVisibleText } from "../text/visible-text.js";

export interface WholePlan {
  readonly requirements: readonly Requirement[];
  readonly features: readonly Feature[];
  readonly tasks: readonly Task[];
}

interface Node {
  readonly text: string;
  readonly children: readonly Node[];
}

export interface TreeStyle {
  readonly colors: ReturnType<typeof colorsFor>;
  /** Columns of the terminal. */
  readonly width: number;
}

/** A plan as a tree: requirements, their features and the tasks of those. */
export function planTree(plan: WholePlan, style: TreeStyle): string {
  const roots = [...requirementNodes(plan, style), ...looseNodes(plan, style)];
  return [...roots.flatMap((root) => [...render(root, style), ""]), summary(plan, style)].join("\n");
}

function requirementNodes({ requirements, features, tasks }: WholePlan, style: TreeStyle): Node[] {
  const { colors } = style;
  const shown = new Map<string, string>();
  return requirements.map(({ id, title, priority }) => {
    const paint = { high: colors.red, medium: colors.yellow, low: colors.dim }[priority];
    const children = features
      .filter(({ requirementIds }) => requirementIds.includes(id))
      .map((feature): Node => {
        const before = shown.get(feature.id);
        if (before !== undefined) {
          return { text: `${titleOf(feature, style)} ${colors.dim(`(see ${before})`)}`, children: [] };
        }
        shown.set(feature.id, id);
        return featureNode(feature, tasks, style);
      });
    return { text: `${colors.bold(id)} ${clean(title)} ${paint(`[${priority}]`)}`, children };
  });
}

/** Features without a requirement and tasks without a feature. */
function looseNodes({ features, tasks }: WholePlan, style: TreeStyle): Node[] {
  const loose = features
    .filter(({ requirementIds }) => requirementIds.length === 0)
    .map((feature) => featureNode(feature, tasks, style));
  const alone = tasks.filter(({ featureId }) => featureId === undefined).map((task) => taskNode(task, style));
  return [
    ...(loose.length === 0
      ? []
      : [{ text: style.colors.dim("Features without a requirement"), children: loose }]),
    ...(alone.length === 0 ? [] : [{ text: style.colors.dim("Tasks without a feature"), children: alone }]),
  ];
}

function featureNode(feature: Feature, tasks: readonly Task[], style: TreeStyle): Node {
  const own = tasks.filter(({ featureId }) => featureId === feature.id);
  return { text: titleOf(feature, style), children: own.map((task) => taskNode(task, style)) };
}

function taskNode(task: Task, style: TreeStyle): Node {
  const { colors } = style;
  const paint = painter(task.status, style);
  const state = task.ready ? colors.green("ready") : paint(task.status.replace("_", " "));
  const waits =
    task.status === "pending" && task.waitsFor.length > 0
      ? colors.dim(`, waiting for ${task.waitsFor.join(", ")}`)
      : "";
  return { text: `${paint(marks[task.status])} ${titleOf(task, style)} (${state}${waits})`, children: [] };
}

const marks: Readonly<Record<TaskStatus, string>> = {
  pending: "○",
  in_progress: "▶",
  blocked: "!",
  done: "✔",
  cancelled: "–",
};

function painter(status: TaskStatus, { colors }: TreeStyle): (text: string) => string {
  return {
    pending: (text: string) => text,
    in_progress: colors.cyan,
    blocked: colors.red,
    done: colors.green,
    cancelled: colors.dim,
  }[status];
}

function titleOf(
  { id, title }: { readonly id: string; readonly title: string },
  { colors }: TreeStyle,
): string {
  return `${colors.bold(id)} ${clean(title)}`;
}

function clean(text: string): string {
  return toVisibleText(text).replaceAll(/\s+/g, " ").trim();
}

function render({ text, children }: Node, style: TreeStyle): string[] {
  const childLines = children.flatMap((child, at) => {
    const last = at === children.length - 1;
    const [first = "", ...rest] = render(child, { ...style, width: style.width - 3 });
    const { dim } = style.colors;
    return [dim(last ? "└─ " : "├─ ") + first, ...rest.map((line) => dim(last ? "   " : "│  ") + line)];
  });
  return [...wrapNode(text, style.width), ...childLines];
}

/** Long lines continue below without color: a break could fall into a color code. */
function wrapNode(text: string, width: number): string[] {
  if (columnsOf(text) <= width) return [text];
  const [first = "", ...rest] = wrap(stripVTControlCharacters(text), width - 2);
  return [first, ...rest.map((line) => `  ${line}`)];
}

function summary({ tasks }: WholePlan, { colors, width }: TreeStyle): string {
  const counted = tasks.filter(({ status }) => status !== "cancelled");
  const done = counted.filter(({ status }) => status === "done").length;
  const ready = tasks.filter((task) => task.ready).map(({ id }) => id);
  const next =
    ready.length === 0
      ? ""
      : ` Ready now: ${ready.slice(0, 10).join(", ")}${ready.length > 10 ? ", …" : ""}.`;
  return wrap(`${done} of ${counted.length} tasks done.${next}`, width)
    .map((line) => colors.bold(line))
    .join("\n");
}
