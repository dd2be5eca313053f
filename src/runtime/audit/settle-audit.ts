import { messageOf } from "../../contract/message-of.js";
import type { AuditStart, InterruptedEffects } from "../../contract/ports/audit.js";
import type { JournalEntry } from "../../contract/ports/journal.js";
import type { AuditRecorder } from "../../record/audit/audit-recorder.js";
import { findUnsettled } from "../../record/audit/segment-files.js";
import { settleAbandoned } from "../../record/audit/settle.js";
import type { RuntimeAuditOptions } from "./runtime-audit.js";
import type { LazyState } from "../state/lazy-state.js";

export interface SettleDeps {
  readonly options: RuntimeAuditOptions;
  readonly dir: string;
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly recorder: AuditRecorder;
}

/** Close the segments of dead processes; a failure is reported as an event and does not stop readers. */
export function createSettle(parts: SettleDeps): () => Promise<void> {
  const { options, dir, isAlive, recorder } = parts;
  let settling: Promise<void> | undefined;
  const settle = async (): Promise<void> => {
    try {
      await settleAbandoned({
        ...parts,
        writer: () => recorder.writer(),
        effectsOf: (start) => effectsOf(options.state, start),
      });
    } catch (cause) {
      const message = `Cannot close interrupted calls in the log: ${messageOf(cause)}`;
      options.events.emit("AUDIT_FAULT", { message });
    }
  };
  return () => {
    if (settling !== undefined) return settling;
    if (findUnsettled({ dir, isAlive }).length === 0) return Promise.resolve();
    settling = settle().finally(() => (settling = undefined));
    return settling;
  };
}

/** The journal knows the files that tools changed themselves; other effects of a command are unknown. */
async function effectsOf(state: LazyState, { callId }: AuditStart): Promise<InterruptedEffects> {
  const note = "Only changes of files that Tenon itself made are known; a command may have done more.";
  if (!state.exists()) return { files: [], note };
  try {
    const { journal } = await state.open();
    const unfinished = (await journal.unfinished()).filter(({ origin }) => origin.callId === callId);
    const entries = [...(await journal.select({ callId })), ...unfinished];
    return { files: entries.flatMap(filesOf), note };
  } catch (cause) {
    return { files: [], note: `Cannot read the journal: ${messageOf(cause)}` };
  }
}

function filesOf({ changes }: JournalEntry): InterruptedEffects["files"] {
  return changes
    .filter(({ implied }) => !implied)
    .map(({ op, step }) => ({ op, path: step.kind === "set" ? step.path : step.to }));
}
