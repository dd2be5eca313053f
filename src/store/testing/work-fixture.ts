import type { WorkStores } from "../../contract/ports/store.js";
import type { State } from "../open-state.js";
import type { DocumentFiles, WorkScope } from "../work-scope.js";
import { createWork } from "../work-stores.js";
import type { Fixture } from "./drivers.js";

/** One session's view of the work stores, with time and files in the test's hands. */
export interface WorkBench {
  readonly stores: WorkStores;
  /** The same for somebody else. */
  storesAs(other: Pick<WorkScope, "audience">): WorkStores;
  readonly state: State;
  /** Files by path. */
  readonly files: Map<string, string>;
  /** Unix time in milliseconds; set it to move the clock. */
  time: number;
  iterationId: string | undefined;
  /** What `enter` was told. */
  readonly entered: { readonly id: string; readonly chosen: boolean }[];
  /** Fails the next write of a file. */
  failWrite: boolean;
}

/** Open the stores as one session. */
export async function openBench(
  fixture: Fixture,
  agent = "tester",
  iterationId?: string,
): Promise<WorkBench> {
  const state = await fixture.open();
  const files = new Map<string, string>();
  const clock = { now: () => bench.time, monotonic: () => performance.now(), sleep: () => Promise.resolve() };
  const documents: DocumentFiles = {
    pathOf: (iteration, name) => `artifacts/${iteration}/${name}.md`,
    read: async (path) => files.get(path),
    async write(path, content) {
      if (bench.failWrite) throw new Error("disk full");
      files.set(path, content);
    },
  };
  const scope: WorkScope = {
    actor: { agent, sessionId: `session of ${agent}`, callId: "call-1" },
    iterationTracker: {
      get id() {
        return bench.iterationId;
      },
      enter(id, chosen) {
        bench.iterationId = id;
        bench.entered.push({ id, chosen });
      },
    },
    documents,
  };
  const bench: WorkBench = {
    stores: createWork(state.sql, clock).storesFor(scope),
    storesAs: (other) => createWork(state.sql, clock).storesFor({ ...scope, ...other }),
    state,
    files,
    time: 1_700_000_000_000,
    iterationId,
    entered: [],
    failWrite: false,
  };
  return bench;
}
