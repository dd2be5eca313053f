import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { RecordedChange } from "../../contract/ports/actor.js";
import type { Feature, PlanKind, PlanStore, Requirement, Task } from "../../contract/ports/plan.js";
import { nearest } from "../../schema/nearest.js";
import { ago } from "../ago.js";
import { type AddCommand, type CommonFlags, addCommand } from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { colorsFor, writeResult } from "../output.js";
import { planTree, type WholePlan } from "../plan-tree.js";
import { wrap } from "../wrap.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon plan`: requirements, features and tasks as a tree, or one of them with its history. */
export const addPlan: AddCommand = (program, terminal) => {
  addCommand(program, "plan", "Show requirements, features and tasks")
    .argument("[id]", "id of one item, to show it with its history")
    .option("--iteration", "only items of the newest iteration")
    .action((id: string | undefined, flags: PlanFlags) =>
      withTenon(terminal, flags, async (open) => {
        const { plan } = open.tenon.work;
        const whole = await load(plan, flags.iteration === true);
        if (id === undefined) showAll(open, whole);
        else showOne(open, await findItem(plan, whole, id));
      }),
    );
};

interface PlanFlags extends CommonFlags {
  readonly iteration?: boolean;
}

async function load(plan: PlanStore, thisIteration: boolean): Promise<WholePlan> {
  const filter = { thisIteration };
  return {
    requirements: await plan.requirements(filter),
    features: await plan.features(filter),
    tasks: await plan.tasks(filter),
  };
}

function showAll(open: OpenTenon, whole: WholePlan): void {
  const { terminal } = open;
  const { requirements, features, tasks } = whole;
  const style = {
    colors: colorsFor(terminal.stdout, terminal.env),
    width: terminal.stdout.columns ?? 100,
  };
  const empty = requirements.length + features.length + tasks.length === 0;
  writeResult(open, whole, () => (empty ? emptyPlan : planTree(whole, style)));
}

const emptyPlan = [
  "The plan is empty.",
  "Agents plan with create_requirement, add_feature and create_task. Try:",
  "  tenon call create_task id=TASK-1 title='Write the parser' description=''",
].join("\n");

interface PlanItem {
  readonly kind: PlanKind;
  readonly record: Requirement | Feature | Task;
  readonly history: readonly RecordedChange[];
}

async function findItem(
  plan: PlanStore,
  { requirements, features, tasks }: WholePlan,
  id: string,
): Promise<PlanItem> {
  const lists = { requirement: requirements, feature: features, task: tasks } as const;
  for (const [kind, records] of Object.entries(lists) as [PlanKind, readonly Requirement[]][]) {
    const record = records.find((one) => one.id === id);
    if (record !== undefined) return { kind, record, history: await plan.history(kind, id) };
  }
  const close = nearest(
    id,
    [...requirements, ...features, ...tasks].map((record) => record.id),
  );
  throw new ToolResourceNotFoundError(`"${id}" not found in the plan.`, {
    hint: close === undefined ? "Run: tenon plan" : `Did you mean "${close}"?`,
  });
}

function showOne(open: OpenTenon, { kind, record, history }: PlanItem): void {
  const { terminal } = open;
  const colors = colorsFor(terminal.stdout, terminal.env);
  const width = terminal.stdout.columns ?? 100;
  const lines = [
    ...wrap(`${record.id} ${toVisibleLine(record.title)}`, width).map((line) => colors.bold(line)),
    colors.dim(`${kind} · ${record.iterationId} · created ${ago(record.createdAt, Date.now())}`),
    ...wrap(detailsOf(record), width),
    ...(record.description.trim() === "" ? [] : ["", ...wrap(toVisibleText(record.description), width)]),
    "",
    colors.bold("History"),
    ...history.flatMap(({ at, agent, what, note }) => [
      ...wrap(
        `- ${new Date(at).toISOString().slice(0, 16).replace("T", " ")} ${toVisibleLine(`${agent}: ${what}`)}`,
        width,
      ),
      ...(note === undefined ? [] : wrap(`  ${toVisibleText(note)}`, width)),
    ]),
  ];
  writeResult(open, { kind, ...record, history }, () => lines.join("\n"));
}

function detailsOf(record: Requirement | Feature | Task): string {
  if ("priority" in record) return `Priority: ${record.priority}`;
  if ("requirementIds" in record) return `Meets: ${record.requirementIds.join(", ") || "no requirement"}`;
  const { status, ready, dependsOn, waitsFor, featureId } = record;
  return [
    `Status: ${status}${ready ? ", ready" : ""}`,
    ...(featureId === undefined ? [] : [`Feature: ${featureId}`]),
    ...(dependsOn.length === 0 ? [] : [`Depends on: ${dependsOn.join(", ")}`]),
    ...(waitsFor.length === 0 ? [] : [`Waiting for: ${waitsFor.join(", ")}`]),
  ].join("\n");
}
