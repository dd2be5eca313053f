import { securityLevels } from "../contract/tool.js";

/** Modes from the strictest to the loosest, by what runs without a person's consent. */
export const modes = ["read-only", "unattended", "ask", "auto"] as const;

/** How the runtime treats calls that no rule decides. */
export type Mode = (typeof modes)[number];

/** What the optimiser may do, from nothing to changing limits by itself. */
export const optimiserModes = ["off", "advise", "apply"] as const;

/** Least level that is logged. */
export const logLevels = ["debug", "info", "warn", "error"] as const;

export { securityLevels };

/** The longest text that a setting may be, such as a path. */
export const maxTextChars = 4096;
