import { join } from "node:path";
import type { GuardIndex } from "../guard-index.js";
import type { SandboxView } from "../sandbox-view.js";
import { createAcceptedChanges } from "./accepted-changes.js";
import type { HeldChanges } from "./held-changes.js";
import { createRunJudge, type RunJudge } from "./judge-runs.js";
import { createRunRecords } from "./run-records.js";

/** Prepare the judgement of runs for what a sandbox shows to its commands. */
export function openRunJudge(options: {
  readonly held: HeldChanges;
  readonly dir: string;
  readonly view: SandboxView;
  readonly index: GuardIndex;
  readonly now: () => number;
}): RunJudge {
  const { held, dir, view, index, now } = options;
  return createRunJudge({
    held,
    records: createRunRecords(join(dir, "runs")),
    accepted: createAcceptedChanges(join(dir, "accepted"), now),
    roots: [view.workspace, ...view.writable],
    gitFolders: view.linkedGit,
    survey: async () => (await index.findNow()).surveyed,
    now,
  });
}
