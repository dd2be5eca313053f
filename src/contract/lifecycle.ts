/** The states of a tool's life. */
export const toolStates = [
  "Registered",
  "Initializing",
  "Ready",
  "Executing",
  "Error",
  "Failed",
  "Disabled",
  "Unregistered",
] as const;

/** The states in the life of a tool. */
export type ToolState = (typeof toolStates)[number];

/** A change in the life of a tool. */
export interface StateChange {
  readonly from: ToolState;
  readonly to: ToolState;
  readonly at: number;
  readonly reason?: string;
}

/** The answer of a health check, per tool or for the whole. */
export interface HealthReport {
  readonly status: "healthy" | "unhealthy" | "error" | "not_found";
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
