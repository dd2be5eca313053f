import type { RecordedChange } from "../../contract/ports/actor.js";
import type { Feature, PlanKind, PlanStore, Requirement, Task } from "../../contract/ports/plan.js";
import { nearest } from "../../schema/nearest.js";
import { ago } from "../ago.js";
import {
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, writeJson } from "../output.js";
import { planTree, type WholePlan } from "../plan-tree.js";
import { wrap } from "../wrap.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon plan`: requirements, features and tasks as a tree, or one of them with its history. */
export const addPlan: AddCommand = (program, terminal) => {
  withCommonFlags(program.command("plan").description("Show requirements, features and tasks"))
    .argument("[id]", "show one of them with its history")
    .option("--iteration", "only what was made in the newest iteration")
    .action((id: string | undefined, flags: PlanFlags) =>
      withTenon(terminal, flags, async ({ tenon }) => {
        const { plan } = tenon.work;
        const whole = await load(plan, flags.iteration === true);
        if (id === undefined) showAll(terminal, flags, whole);
        else await showOne(terminal, flags, await find(plan, whole, id));
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

function showAll(terminal: Terminal, flags: PlanFlags, whole: WholePlan): void {
  if (flags.json === true) {
    writeJson(terminal, whole);
    return;
  }
  const { requirements, features, tasks } = whole;
  const style = {
    colors: colorsFor(terminal.stdout, terminal.env),
    width: terminal.stdout.columns ?? 100,
  };
  const empty = requirements.length + features.length + tasks.length === 0;
  terminal.stdout.write(`${empty ? nothing : planTree(whole, style)}\n`);
}

const nothing = [
  "Nothing is planned yet.",
  "Agents plan with create_requirement, add_feature and create_task. To try it:",
  "  tenon call create_task id=TASK-1 title='Write the parser' description=''",
].join("\n");

interface Found {
  readonly kind: PlanKind;
  readonly record: Requirement | Feature | Task;
  readonly history: readonly RecordedChange[];
}

async function find(
  plan: PlanStore,
  { requirements, features, tasks }: WholePlan,
  id: string,
): Promise<Found> {
  const lists = { requirement: requirements, feature: features, task: tasks } as const;
  for (const [kind, records] of Object.entries(lists) as [PlanKind, readonly Requirement[]][]) {
    const record = records.find((one) => one.id === id);
    if (record !== undefined) return { kind, record, history: await plan.history(kind, id) };
  }
  const close = nearest(
    id,
    [...requirements, ...features, ...tasks].map((record) => record.id),
  );
  throw new UsageError(
    `There is no "${id}" in the plan.${close === undefined ? "" : ` Did you mean "${close}"?`}`,
  );
}

async function showOne(
  terminal: Terminal,
  flags: PlanFlags,
  { kind, record, history }: Found,
): Promise<void> {
  if (flags.json === true) {
    writeJson(terminal, { kind, ...record, history });
    return;
  }
  const colors = colorsFor(terminal.stdout, terminal.env);
  const width = terminal.stdout.columns ?? 100;
  const lines = [
    ...wrap(`${record.id} ${toVisibleLine(record.title)}`, width).map((line) => colors.bold(line)),
    colors.dim(`${kind} · ${record.iterationId} · made ${ago(record.createdAt, Date.now())}`),
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
  terminal.stdout.write(`${lines.join("\n")}\n`);
}

function detailsOf(record: Requirement | Feature | Task): string {
  if ("priority" in record) return `Priority: ${record.priority}`;
  if ("requirementIds" in record) return `Meets: ${record.requirementIds.join(", ") || "no requirement"}`;
  const { status, ready, dependsOn, waitsFor, featureId } = record;
  return [
    `Status: ${status}${ready ? ", ready" : ""}`,
    ...(featureId === undefined ? [] : [`Feature: ${featureId}`]),
    ...(dependsOn.length === 0 ? [] : [`Depends on: ${dependsOn.join(", ")}`]),
    ...(waitsFor.length === 0 ? [] : [`Waits for: ${waitsFor.join(", ")}`]),
  ].join("\n");
}
