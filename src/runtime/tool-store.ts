import type { KeyValue, Store, WorkStores } from "../contract/ports/store.js";
import type { LazyState } from "./lazy-state.js";

/** Each tool has a name space of its own in the state; what agents keep together it shares with all. */
export function createToolStore(state: LazyState, toolName: string, work: WorkStores): Store {
  const own = async (): Promise<KeyValue> => (await state.open()).kv(`tool:${toolName}`);
  return {
    get: async (key) => (await own()).get(key),
    set: async (key, value) => (await own()).set(key, value),
    delete: async (key) => (await own()).delete(key),
    list: async (prefix) => (await own()).list(prefix),
    get snippets() {
      return work.snippets;
    },
    get memories() {
      return work.memories;
    },
    get plan() {
      return work.plan;
    },
    get artifacts() {
      return work.artifacts;
    },
    get pipeline() {
      return work.pipeline;
    },
  };
}
