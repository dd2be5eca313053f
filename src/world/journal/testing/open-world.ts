import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openState, type State } from "../../../store/open-state.js";
import { systemClock } from "../../../contract/system-clock.js";
import type { ChangeOrigin } from "../../../contract/ports/journal.js";
import { createGuard } from "../../files/guard.js";
import type { Guard } from "../../files/guard-types.js";
import { openBelow } from "../../testing/open-below.js";
import { createPathRules } from "../../files/path-rules.js";
import { createJournal, type Journal, type JournalOptions } from "../journal.js";

/** A workspace with a real guard, state and journal. */
export interface World {
  readonly root: string;
  readonly state: State;
  readonly guard: Guard;
  readonly journal: Journal;
  close(): Promise<void>;
}

/** Open the world that lies in a directory: `ws` and `state`. */
export async function openWorld(base: string, options: Partial<JournalOptions> = {}): Promise<World> {
  const workspace = join(base, "ws");
  mkdirSync(workspace, { recursive: true });
  const state = await openState({ stateDir: join(base, "state"), workspace });
  const rules = createPathRules({ workspace, stateDir: join(base, "state"), protectedGlobs: ["**/.git/**"] });
  const guard = createGuard({ rules, maxFileSize: 1 << 26 });
  const journal = journalOn(base, { state, guard }, options);
  const close = async (): Promise<void> => {
    await state.close();
    // Another world may be open on the same state.
    const left = openBelow(base).filter((path) => !path.includes("/state.db"));
    if (left.length > 0) throw new Error(`Nobody closed ${left.join(", ")}.`);
  };
  return { root: guard.root, state, guard, journal, close };
}

/** Another journal on the state of a world, as another process would have it. */
export function journalOn(
  base: string,
  { state, guard }: Pick<World, "state" | "guard">,
  options: Partial<JournalOptions> = {},
): Journal {
  const { journal: store, blobs, locks } = state;
  const keptDir = join(base, "state", "kept");
  return createJournal({ guard, store, blobs, locks, clock: systemClock, keptDir, ...options });
}

let calls = 0;

/** Who changes something, for tests. */
export function origin(callId = `call-${(calls += 1)}`, taskId?: string): ChangeOrigin {
  return { callId, sessionId: "test", tool: "test", ...(taskId !== undefined && { taskId }) };
}
