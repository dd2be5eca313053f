import type { TenonConfig } from "../config/config-schema.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { Extension } from "../contract/extension.js";
import type { Clock } from "../contract/ports/clock.js";
import type { InteractBackend } from "../contract/ports/interact.js";
import type { Recorder } from "../contract/ports/recorder.js";
import type { ToolLike } from "../registry/accept-tool.js";
import type { PlainLimits } from "../schema/take-plain.js";
import type { InteractCallbacks } from "../world/interact/callback-backend.js";
import type { Ownership } from "../store/ownership.js";
import type { Actor } from "./audit/audited-action.js";
import type { LogSink } from "./log/create-log.js";
import type { TelemetryOptions } from "./log/telemetry.js";

/** The options of `createTenon`; all are optional. */
export interface TenonOptions {
  /** The folder the agent works in. @default the configuration's, else the current folder */
  readonly workspace?: string;
  /** Settings, as in a configuration file. */
  readonly config?: TenonConfig;
  /** The result of `loadConfig`, instead of `config`. */
  readonly loaded?: LoadedConfig;
  /** Tools in addition to the built-in ones. */
  readonly tools?: readonly ToolLike[];
  /** Extensions to use from the start. */
  readonly extensions?: readonly Extension[];
  /** `false`: start without the built-in tools. @default true */
  readonly builtIns?: boolean;
  /** How a person is asked. @default nobody can be asked */
  readonly interact?: InteractBackend | InteractCallbacks;
  /** Additional recorders of calls. */
  readonly recorders?: readonly Recorder[];
  /** Where log records go. @default nowhere */
  readonly log?: LogSink;
  /** Create OpenTelemetry spans of calls. @default the configuration's */
  readonly telemetry?: boolean | TelemetryOptions;
  /** When a tool counts as unhealthy and how it recovers. */
  readonly health?: {
    readonly criticalErrors?: number;
    readonly probeAfterMs?: number;
    readonly initTimeoutMs?: number;
  };
  /** How deep and large arguments may be. */
  readonly argumentLimits?: Partial<PlainLimits>;
  /** Text for the model is cut in the middle beyond this many characters. @default 100000 */
  readonly maxTextChars?: number;
  /** How long a cancelled tool that does not stop keeps its locks. @default 5000 */
  readonly cancelGraceMs?: number;
  /** `false`: background jobs are refused, because this process ends with its call. @default true */
  readonly jobs?: boolean;
  /** `false`: MCP servers start with the first session that lists or calls their tools. @default true */
  readonly startServers?: boolean;
  /** The person who undoes changes or changes rules through this Tenon. @default { via: "library" } */
  readonly actor?: Actor;
  /** Set by a worker of a fleet: the name of the workspace on all machines, and how often it has changed hands. */
  readonly ownership?: Ownership;
  /** @default the machine's */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: () => number;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default the user's home folder */
  readonly home?: string;
}
