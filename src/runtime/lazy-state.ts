import { realpathSync } from "node:fs";
import { join } from "node:path";
import { ToolResourceNotFoundError, ToolUnavailableError } from "../contract/errors.js";
import type { State } from "../store/open-state.js";
import { isThere, workspaceKey } from "../store/state-dir.js";

export interface LazyStateOptions {
  readonly stateDir: string;
  readonly workspace: string;
  readonly database: string;
  readonly onWarning: (message: string) => void;
}

/** The workspace's state, opened when something first needs it: many calls never do. */
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
    exists: () => isThere(join(options.stateDir, workspaceKey(realWorkspace(options.workspace)), "state.db")),
    open() {
      opening ??= openNow(options).catch((cause: unknown) => {
        opening = undefined; // whoever needs it next tries again
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

function realWorkspace(workspace: string): string {
  try {
    return realpathSync.native(workspace);
  } catch (cause) {
    throw new ToolResourceNotFoundError(`The workspace "${workspace}" was not found.`, {
      cause,
      hint: "Name a folder that exists as workspace.",
    });
  }
}

async function openNow({ database, ...options }: LazyStateOptions): Promise<State> {
  if (database !== "sqlite") {
    throw new ToolUnavailableError(
      `This version keeps its state in SQLite only, not in "${database.split(":")[0]}".`,
      {
        code: "SERVICE_UNAVAILABLE",
        retryable: false,
        hint: 'Leave "database" out of the configuration.',
      },
    );
  }
  const { openState } = await import("../store/open-state.js");
  return openState(options);
}
