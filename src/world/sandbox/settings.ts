import type { ProfileName } from "./profiles.js";
import type { HeldLimits } from "./quarantine/held-store.js";
import type { SandboxLimits } from "./sandbox-types.js";

/** Whether commands run inside: where it can be had, only there, or not at all. */
export const sandboxUses = ["required", "auto", "off"] as const;

export type SandboxUse = (typeof sandboxUses)[number];

/** What the person has set; paths are absolute. */
export interface SandboxSettings {
  readonly enabled: SandboxUse;
  readonly profiles: readonly ProfileName[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
  readonly unixSockets: boolean;
  readonly limits: SandboxLimits;
  readonly quarantine: HeldLimits;
}

export interface SandboxOptions {
  readonly workspace: string;
  readonly home: string;
  /** Tenon's own state: hidden always. */
  readonly stateDir: string;
  readonly settings: SandboxSettings;
  /** Folders outside the workspace that file tools may use too: a command may write them. */
  readonly allowedPaths: readonly string[];
  /** Paths or globs that no command sees. */
  readonly forbiddenPaths: readonly string[];
  /** Paths or globs that no command changes. */
  readonly protectedPaths: readonly string[];
  /** Paths or globs that a person's own rules open although they are protected. */
  readonly unprotectedPaths: readonly string[];
  /** Paths or globs that a command changes only with consent. */
  readonly carefulPaths: readonly string[];
  /** Where what is held back is kept, out of the reach of commands. */
  readonly quarantineDir: string;
  /** The host process's variables; only PATH is looked at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the sandbox makes folders of its own. */
  readonly tmpdir: string;
  readonly monotonic: () => number;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** @default process.platform */
  readonly platform?: NodeJS.Platform;
}
