import type { SessionEnv } from "./ports/env.js";
import type { SeenFiles } from "./ports/seen.js";

/** What a call may lean on: one agent at work. */
export interface CallSession {
  readonly id: string;
  readonly agent: string;
  readonly userId?: string;
  /** The task of calls that name none. */
  readonly taskId?: string;
  readonly iterationId?: string;
  readonly allowedPaths?: readonly string[];
  readonly env: SessionEnv;
  readonly seen: SeenFiles;
}

/** The call that a port is handed out for. */
export interface CallScope {
  readonly callId: string;
  readonly toolName: string;
  readonly taskId: string | undefined;
  readonly session: CallSession;
  readonly signal: AbortSignal;
  /** Stop the call's clock while a person is asked; the result starts it again. */
  pauseClock(): () => void;
}
