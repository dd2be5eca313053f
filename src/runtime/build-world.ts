import { ApprovalDesk } from "./approvals/approval-desk.js";
import type { StateParts } from "./build-state.js";
import { NamedSessions } from "./sessions/named-sessions.js";
import { createSeenBySessions } from "./state/seen-by-sessions.js";
import { createWorld } from "./world/create-world.js";

/** The second builder: files, commands, network and people, and what sessions keep of them. */
export function buildWorld(parts: StateParts) {
  const { state, policy, clock, events, running, onWarning } = parts;
  const world = createWorld(parts);
  const desk = new ApprovalDesk({
    state,
    now: clock.now,
    ownReach: () => world.backend?.reach?.(),
    onFault: (message) => events.emit("LISTENER_FAILED", { event: "approvals", message }),
  });
  const sessions = new NamedSessions(state, policy);
  const seen = createSeenBySessions({
    canonical: world.ports.canonicalPath,
    state,
    onWork: (work) => running.addChore(work),
    onWarning,
  });
  return { ...parts, world, desk, sessions, seen };
}

/** What `buildWorld` made, on top of the state. */
export type WorldParts = ReturnType<typeof buildWorld>;
