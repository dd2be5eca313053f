import type { WorkStores } from "../../contract/ports/store.js";

/** Stores that open the state on first use; a call creates only those that it uses. */
export function deferStores(open: () => Promise<WorkStores>): WorkStores {
  return {
    get snippets() {
      return deferMethods(async () => (await open()).snippets, snippetMethods);
    },
    get memories() {
      return deferMethods(async () => (await open()).memories, memoryMethods);
    },
    get plan() {
      return deferMethods(async () => (await open()).plan, planMethods);
    },
    get artifacts() {
      return deferMethods(async () => (await open()).artifacts, artifactMethods);
    },
    get pipeline() {
      return deferMethods(async () => (await open()).pipeline, pipelineMethods);
    },
  };
}

const snippetMethods: MethodNames<WorkStores["snippets"]> = {
  save: true,
  load: true,
  list: true,
  history: true,
  remove: true,
  names: true,
};

const memoryMethods: MethodNames<WorkStores["memories"]> = {
  save: true,
  get: true,
  query: true,
  resolve: true,
  promote: true,
  count: true,
};

const planMethods: MethodNames<WorkStores["plan"]> = {
  createRequirement: true,
  updateRequirement: true,
  requirements: true,
  createFeature: true,
  updateFeature: true,
  features: true,
  createTask: true,
  updateTask: true,
  setTaskStatus: true,
  tasks: true,
  history: true,
};

const artifactMethods: MethodNames<WorkStores["artifacts"]> = {
  save: true,
  list: true,
  read: true,
  versions: true,
};

const pipelineMethods: MethodNames<WorkStores["pipeline"]> = {
  iteration: true,
  peek: true,
  startIteration: true,
  iterations: true,
  status: true,
  goto: true,
  complete: true,
};

/** The names of all methods of a port: a missing one does not compile. */
type MethodNames<Port> = { readonly [Name in keyof Port]: true };

/** A port whose methods open the real one on first use. */
function deferMethods<Port extends object>(open: () => Promise<Port>, names: MethodNames<Port>): Port {
  const methods = Object.keys(names).map((name) => [
    name,
    async (...args: unknown[]) => {
      const port = (await open()) as Record<string, (...args: unknown[]) => unknown>;
      return port[name]?.(...args);
    },
  ]);
  return Object.fromEntries(methods) as Port;
}
