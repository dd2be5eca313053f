import { waitAtMost } from "../../contract/system-clock.js";
import type { CommitReport } from "../../contract/ports/layers.js";
import type { CommandLayer } from "../sandbox/layer/layer-types.js";

/**
 * Begins to commit what commands changed while their sandboxes end, when there is nothing else to do: everything up to
 * the first step, before which it is decided whether what was seen until then was all.
 */
export interface EarlyCommits {
  /** A command was started. */
  begin(layer: CommandLayer, early: EarlyCommit): void;
  /**
   * The sandbox has ended. If it is certain that the command was over before, what was begun is completed; otherwise
   * nothing is left of it. `undefined` if the changes are still to be committed.
   */
  end(layer: CommandLayer, isCertain: boolean): Promise<CommitReport | undefined>;
}

export interface EarlyCommit {
  /** Commit the changes of this view of the layer; `ready` is waited for before anything takes effect. */
  readonly commit: (layer: CommandLayer, ready: () => Promise<void>) => Promise<CommitReport>;
  /** Gives it up. */
  readonly signal: AbortSignal;
}

/** The lock of the journal is held while it waits, so others must not wait long for a sandbox that does not end. */
const defaultWaitMs = 200;

/** @param maxWaitMs How long a begun commit waits for the end of its sandbox. */
export function createEarlyCommits(maxWaitMs = defaultWaitMs): EarlyCommits {
  const begun = new WeakMap<CommandLayer, BegunCommit>();
  return {
    begin(layer, early) {
      const commit = createBegunCommit(layer, early, maxWaitMs);
      begun.set(layer, commit);
      layer.onEnded?.(() => commit.start());
      early.signal.addEventListener("abort", () => void commit.end(false), { once: true });
    },
    async end(layer, isCertain) {
      return begun.get(layer)?.end(isCertain && layer.isMerged());
    },
  };
}

interface BegunCommit {
  start(): void;
  end(isValid: boolean): Promise<CommitReport | undefined>;
}

/** It was begun in vain. */
class GivenUp extends Error {}

function createBegunCommit(
  layer: CommandLayer,
  { commit }: Pick<EarlyCommit, "commit">,
  maxWaitMs: number,
): BegunCommit {
  let state: "open" | "valid" | "invalid" = "open";
  let decided = (): void => {};
  const decision = new Promise<void>((resolve) => (decided = resolve));
  let report: Promise<CommitReport | undefined> | undefined;
  const decide = (isValid: boolean): void => {
    if (state === "open") state = isValid ? "valid" : "invalid";
    decided();
  };
  const continueUnlessGivenUp = (): void => {
    if (state === "invalid") throw new GivenUp();
  };
  const ready = async (): Promise<void> => {
    if (state === "open") await waitAtMost(decision, maxWaitMs);
    decide(false);
    continueUnlessGivenUp();
  };
  const view = viewOf(layer, continueUnlessGivenUp);
  return {
    start() {
      if (state !== "open") return;
      report = commit(view, ready).catch((error: unknown) => {
        if (state === "valid") throw error;
        return undefined; // it is begun again, when the sandbox has ended
      });
    },
    async end(isValid) {
      decide(isValid && report !== undefined);
      return report;
    },
  };
}

/** The layer as it is if no folder hides another one. */
function viewOf(layer: CommandLayer, check: () => void): CommandLayer {
  async function* checked<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
    for await (const item of items) {
      check();
      yield item;
    }
  }
  return {
    ...layer,
    changes: () => checked(layer.changes({ assumeMerged: true })),
    entriesBelow: (folder) => checked(layer.entriesBelow(folder)),
  };
}
