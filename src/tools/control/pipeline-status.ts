import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { stages, type StageState, type StageStatus } from "../../contract/ports/pipeline.js";

/** Shows the state of the pipeline. */
export const pipelineStatus = defineTool({
  name: "pipeline_status",
  description:
    "Show the current stage of the pipeline in this iteration, which stages are done or stale, and the latest changes.",
  category: "control",
  annotations: { title: "Pipeline status", readOnly: true, idempotent: true },
  examples: [{ arguments: {} }],
  input: z.object({}),
  output: z.object({
    iteration: z.object({ id: z.string(), name: z.string(), createdAt: z.number() }).nullable(),
    stage: z.enum(stages).nullable().describe("The current stage; null when all are done."),
    stages: z.array(
      z.object({
        stage: z.enum(stages),
        state: z.enum(["pending", "active", "done", "stale"]),
        summary: z.string().optional(),
        completedAt: z.number().optional(),
      }),
    ),
    history: z.array(
      z.object({
        at: z.number(),
        agent: z.string(),
        sessionId: z.string(),
        callId: z.string().optional(),
        what: z.string(),
        note: z.string().optional(),
      }),
    ),
  }),
  resources: () => ({ reads: [{ lock: "pipeline" }] }),
  async execute(_input, { store }) {
    const status = await store.pipeline.status();
    if (status === undefined)
      return { iteration: null, stage: stages[0], stages: notStartedStages(), history: [] };
    const { id, name, createdAt, stage } = status.iteration;
    return {
      iteration: { id, name, createdAt },
      stage,
      stages: [...status.stages],
      history: [...status.history],
    };
  },
  render({ iteration, stage, stages: all, history }) {
    const name = iteration === null ? "No iteration has been started yet" : nameOf(iteration);
    const head = `${name}: ${stage === null ? "all stages are done" : `in ${stage} stage`}`;
    const lines = all.map(
      ({ stage: one, state, summary }) =>
        `${stateSymbols[state]} ${one}${state === "stale" ? " (stale)" : ""}${summary === undefined ? "" : `: ${summary}`}`,
    );
    const last = history.at(-1);
    const why = last?.note === undefined ? "" : ` (${last.note})`;
    return [head, ...lines, ...(last === undefined ? [] : [`Last: ${last.what}${why}`])].join("\n");
  },
});

const stateSymbols: Readonly<Record<StageState, string>> = {
  pending: "[ ]",
  active: "[>]",
  done: "[x]",
  stale: "[!]",
};

function notStartedStages(): StageStatus[] {
  return stages.map((stage, at) => ({ stage, state: at === 0 ? "active" : "pending" }));
}

function nameOf({ id, name }: { id: string; name: string }): string {
  return id === name ? id : `${id} "${name}"`;
}
