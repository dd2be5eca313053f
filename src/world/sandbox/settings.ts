import type { EgressRules } from "../forwarder/dial.js";
import type { ProfileName } from "./profiles.js";
import type { CacheLimits } from "./caches/workspace-caches.js";
import type { LayerLimits } from "./layer/layer-store.js";
import type { HeldLimits } from "./quarantine/held-store.js";
import type { SandboxLimits } from "./sandbox-types.js";

/** Whether commands run in the sandbox: always, if available, or never. */
export const sandboxUses = ["required", "auto", "off"] as const;

export type SandboxUse = (typeof sandboxUses)[number];

/** The settings; paths are absolute. */
export interface SandboxSettings {
  readonly enabled: SandboxUse;
  readonly profiles: readonly ProfileName[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
  readonly unixSockets: boolean;
  readonly limits: SandboxLimits;
  readonly quarantine: HeldLimits;
  readonly layers: LayerLimits;
  readonly caches: CacheLimits;
  /** Hosts whose credentials a command sees if it is granted them by name. */
  readonly credentials: readonly string[];
}

export interface SandboxOptions {
  readonly workspace: string;
  readonly home: string;
  /** Tenon's state, which is always hidden. */
  readonly stateDir: string;
  readonly settings: SandboxSettings;
  /** Folders outside the workspace that file tools and commands may write. */
  readonly allowedPaths: readonly string[];
  /** Paths or globs that are hidden from commands. */
  readonly forbiddenPaths: readonly string[];
  /** Paths or globs that commands cannot change. */
  readonly protectedPaths: readonly string[];
  /** Paths or globs that rules of the user make writable although they are protected. */
  readonly unprotectedPaths: readonly string[];
  /** Paths or globs that commands change only with consent. */
  readonly carefulPaths: readonly string[];
  /** The other names of a path: a rule about one of them binds the path. @default none */
  readonly namesOf?: ((real: string, below: boolean) => readonly string[]) | undefined;
  /** What commands may reach besides public addresses. @default nothing */
  readonly egress?: EgressRules;
  /** Where held back changes are stored, inaccessible to commands. */
  readonly quarantineDir: string;
  /** Where the changes of commands are collected, inaccessible to commands. */
  readonly layersDir: string;
  /** Where tool chains keep what they download for this workspace. */
  readonly cachesDir: string;
  /** Variables of the host process; only PATH is used. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the sandbox creates its folders. */
  readonly tmpdir: string;
  readonly monotonic: () => number;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** @default process.platform */
  readonly platform?: NodeJS.Platform;
}
