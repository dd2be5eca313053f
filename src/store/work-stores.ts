import type { Clock } from "../contract/ports/clock.js";
import type { WorkStores } from "../contract/ports/store.js";
import { createArtifacts } from "./artifacts.js";
import { createIterations, type Iterations } from "./iterations.js";
import { createMemories } from "./memories.js";
import { createMemoryText } from "./memory-rows.js";
import { createPipeline } from "./pipeline.js";
import { createPlanStore } from "./plan.js";
import { createSnippets, createSnippetText } from "./snippets.js";
import type { SqlDatabase } from "./sql.js";
import { defaultStateLimits, type StateLimits } from "./state-limits.js";
import type { WorkParts, WorkScope } from "./work-scope.js";

/** The stores that the agents of a workspace share. */
export interface Work {
  readonly iterations: Iterations;
  /** The stores, for one caller. */
  storesFor(scope: WorkScope): WorkStores;
}

/** Open the work stores of a database; each is made when it is first asked for. */
export function createWork(
  database: SqlDatabase,
  clock: Clock,
  limits: StateLimits = defaultStateLimits,
): Work {
  const iterations = createIterations(database, clock, limits);
  const texts = { memories: createMemoryText(database), snippets: createSnippetText(database) };
  return {
    iterations,
    storesFor: (scope) => new ScopedStores({ limits, database, clock, iterations, texts, scope }),
  };
}

/** The stores for one caller; a class, since one is made for every call and its getters cost nothing then. */
class ScopedStores implements WorkStores {
  readonly #parts: WorkParts;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  get snippets(): WorkStores["snippets"] {
    return createSnippets(this.#parts);
  }
  get memories(): WorkStores["memories"] {
    return createMemories(this.#parts);
  }
  get plan(): WorkStores["plan"] {
    return createPlanStore(this.#parts);
  }
  get artifacts(): WorkStores["artifacts"] {
    return createArtifacts(this.#parts);
  }
  get pipeline(): WorkStores["pipeline"] {
    return createPipeline(this.#parts);
  }
}
