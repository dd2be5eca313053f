import type { Clock } from "../contract/ports/clock.js";
import type { WorkStores } from "../contract/ports/store.js";
import { createArtifacts } from "./artifacts.js";
import { createIterations } from "./iterations.js";
import type { Iterations } from "./iterations.js";
import { createMemories } from "./memories.js";
import { createMemoryText } from "./memory-rows.js";
import { createPipeline } from "./pipeline.js";
import { createPlanStore } from "./plan.js";
import { createSnippets, createSnippetText } from "./snippets.js";
import type { SqlDatabase } from "./sql.js";
import type { WorkParts, WorkScope } from "./work-scope.js";

/** What the workspace's agents keep together. */
export interface Work {
  readonly iterations: Iterations;
  /** The stores, for one caller. */
  storesFor(scope: WorkScope): WorkStores;
}

/** Open the work stores of a database; each is made when it is first asked for. */
export function createWork(database: SqlDatabase, clock: Clock): Work {
  const iterations = createIterations(database, clock);
  const texts = { memories: createMemoryText(database), snippets: createSnippetText(database) };
  return {
    iterations,
    storesFor(scope) {
      const parts: WorkParts = { database, clock, iterations, texts, scope };
      return {
        get snippets() {
          return createSnippets(parts);
        },
        get memories() {
          return createMemories(parts);
        },
        get plan() {
          return createPlanStore(parts);
        },
        get artifacts() {
          return createArtifacts(parts);
        },
        get pipeline() {
          return createPipeline(parts);
        },
      };
    },
  };
}
