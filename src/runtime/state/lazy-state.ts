import { join } from "node:path";
import type { AnswerLimits } from "../../contract/ports/answers.js";
import type { State } from "../../store/open-state.js";
import type { Ownership } from "../../store/ownership.js";
import type { StateLimits } from "../../store/state-limits.js";
import { isThere, realWorkspace, workspaceKey } from "../../store/state-dir.js";

export interface LazyStateOptions {
  readonly stateDir: string;
  readonly workspace: string;
  /** "sqlite", ":memory:" or postgres://…, which is a secret. */
  readonly database: string;
  /** How much is stored. */
  readonly limits?: Partial<StateLimits> | undefined;
  readonly answerLimits: AnswerLimits;
  readonly ownership?: Ownership | undefined;
  readonly onWarning: (message: string) => void;
}

/** The state of the workspace, opened on first use: many calls never need it. */
export interface LazyState {
  /** Whether an earlier run left something behind. */
  exists(): boolean;
  open(): Promise<State>;
  /** Close it, if it was opened. */
  close(): Promise<void>;
}

/** Prepare the state without touching the disk. */
export function createLazyState(options: LazyStateOptions): LazyState {
  let opening: Promise<State> | undefined;
  return {
    exists: () => existsAlready(options),
    open() {
      opening ??= openNow(options).catch((cause: unknown) => {
        opening = undefined; // the next use tries again
        throw cause;
      });
      return opening;
    },
    async close() {
      const state = await opening?.catch(() => undefined);
      await state?.close();
    },
  };
}

function existsAlready({ stateDir, workspace, database }: LazyStateOptions): boolean {
  const dir = join(stateDir, workspaceKey(realWorkspace(workspace)));
  // Only the database server knows; its data may be from another machine.
  if (database !== "sqlite") return database !== ":memory:";
  return isThere(join(dir, "state.db"));
}

async function openNow(options: LazyStateOptions): Promise<State> {
  const { openState } = await import("../../store/open-state.js");
  return openState(options);
}
