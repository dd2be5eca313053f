import type { ArtifactFilter, ArtifactSelector } from "../../contract/ports/artifacts.js";
import type { MemoryQuery, NewMemory } from "../../contract/ports/memories.js";
import type {
  FeatureChange,
  FeatureFilter,
  NewFeature,
  NewRequirement,
  NewTask,
  RequirementChange,
  RequirementFilter,
  TaskChange,
  TaskFilter,
} from "../../contract/ports/plan.js";
import type { NewSnippet, SnippetFilter } from "../../contract/ports/snippets.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";

type MethodKeys = Readonly<Record<string, Readonly<Record<string, true>> | undefined>>;

const record = { id: true, title: true, description: true } as const;
const filter = { ids: true, thisIteration: true } as const;
const selector: KeysOf<ArtifactSelector> = { name: true, version: true, iterationId: true };

/** The objects that methods of the stores take as their last argument. */
const known: Readonly<Record<string, MethodKeys | undefined>> = {
  artifacts: {
    list: { iterationId: true } satisfies KeysOf<ArtifactFilter>,
    read: selector,
    versions: { name: true, iterationId: true } satisfies KeysOf<Omit<ArtifactSelector, "version">>,
  },
  memories: {
    save: { kind: true, title: true, content: true, tags: true, share: true } satisfies KeysOf<NewMemory>,
    query: { query: true, scope: true, kind: true, limit: true } satisfies KeysOf<MemoryQuery>,
    promote: { kind: true, rationale: true, whenToUse: true },
  },
  snippets: {
    save: {
      name: true,
      code: true,
      description: true,
      language: true,
      tags: true,
    } satisfies KeysOf<NewSnippet>,
    list: { tags: true, language: true, query: true } satisfies KeysOf<SnippetFilter>,
  },
  plan: {
    createRequirement: { ...record, priority: true } satisfies KeysOf<NewRequirement>,
    updateRequirement: { title: true, description: true, priority: true } satisfies KeysOf<RequirementChange>,
    requirements: { ...filter, priority: true } satisfies KeysOf<RequirementFilter>,
    createFeature: { ...record, requirementIds: true } satisfies KeysOf<NewFeature>,
    updateFeature: { title: true, description: true, requirementIds: true } satisfies KeysOf<FeatureChange>,
    features: { ...filter, requirementId: true } satisfies KeysOf<FeatureFilter>,
    createTask: { ...record, featureId: true, dependsOn: true } satisfies KeysOf<NewTask>,
    updateTask: {
      title: true,
      description: true,
      featureId: true,
      dependsOn: true,
    } satisfies KeysOf<TaskChange>,
    tasks: { ...filter, status: true, featureId: true, ready: true } satisfies KeysOf<TaskFilter>,
  },
};

/** Refuse a filter or record with a key that the store would ignore. */
export function checkStoreKeys(store: string, method: string, args: readonly unknown[]): void {
  const keys = known[store]?.[method];
  const last = args.at(-1);
  if (keys === undefined || typeof last !== "object" || last === null) return;
  checkKeys<object>(last, keys, `${store}.${method}`);
}
