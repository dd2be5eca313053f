import { join } from "node:path";
import { realPathOf } from "../files/real-path.js";
import type { ActiveSandbox } from "./active-sandbox.js";
import { createGuardIndex } from "./guard-index.js";
import { createAcceptedChanges } from "./quarantine/accepted-changes.js";
import type { HeldChanges } from "./quarantine/held-changes.js";
import { createRunJudge } from "./quarantine/judge-runs.js";
import { createRunRecords } from "./quarantine/run-records.js";
import { createSensitivePathFinder } from "./quarantine/sensitive-paths.js";
import type { SandboxView } from "./sandbox-view.js";
import type { SandboxOptions } from "./settings.js";

/** The rules about the paths of a view, and the judge of what is changed there. */
export function createRuleParts(
  options: SandboxOptions,
  { held, view }: { readonly held: HeldChanges; readonly view: SandboxView },
): Pick<ActiveSandbox, "index" | "runs"> {
  const { settings } = options;
  const roots = [view.workspace, ...view.writable, ...view.readable];
  // Only settings that may unprotect paths can name a writable path inside the workspace.
  const opened = [...options.unprotectedPaths, ...settings.writable];
  const named = [...options.protectedPaths, ...options.carefulPaths];
  const index = createGuardIndex(
    {
      workspace: realPathOf(options.workspace),
      roots,
      // These may be created later.
      hidden: [...options.forbiddenPaths, ...settings.hidden, options.stateDir, view.scratch.dir],
      fixed: options.protectedPaths,
      opened,
      namesOf: options.namesOf,
      sensitivePathFinder: createSensitivePathFinder({ roots, named, opened }),
    },
    options.monotonic,
  );
  const runs = createRunJudge({
    held,
    records: createRunRecords(join(options.quarantineDir, "runs")),
    accepted: createAcceptedChanges(join(options.quarantineDir, "accepted"), options.now),
    roots: [view.workspace, ...view.writable],
    gitFolders: view.linkedGit,
    findSensitivePaths: async () => (await index.findNow()).sensitive,
    now: options.now,
  });
  return { index, runs };
}
