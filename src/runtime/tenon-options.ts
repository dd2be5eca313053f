import type { TenonConfig } from "../config/config-schema.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { Extension } from "../contract/extension.js";
import type { Clock } from "../contract/ports/clock.js";
import type { InteractBackend } from "../contract/ports/interact.js";
import type { Recorder } from "../contract/ports/recorder.js";
import type { ToolLike } from "../registry/accept-tool.js";
import type { PlainLimits } from "../schema/take-plain.js";
import type { InteractCallbacks } from "../world/interact/callback-backend.js";
import type { Actor } from "./audit/audited-action.js";
import type { LogSink } from "./log/create-log.js";
import type { TelemetryOptions } from "./log/telemetry.js";

/** What a Tenon is made with; everything can be left out. */
export interface TenonOptions {
  /** The folder the agent works in. @default the configuration's, else the current folder */
  readonly workspace?: string;
  /** Settings, as in a configuration file. */
  readonly config?: TenonConfig;
  /** What `loadConfig` found, in the place of `config`. */
  readonly loaded?: LoadedConfig;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly ToolLike[];
  /** Extensions that are there from the start. */
  readonly extensions?: readonly Extension[];
  /** `false`: start without the built-in tools. @default true */
  readonly builtIns?: boolean;
  /** How a person is reached. @default nobody is there */
  readonly interact?: InteractBackend | InteractCallbacks;
  /** Keep more records of calls. */
  readonly recorders?: readonly Recorder[];
  /** Where log records go. @default nowhere */
  readonly log?: LogSink;
  /** Make OpenTelemetry spans of calls. @default what the configuration says */
  readonly telemetry?: boolean | TelemetryOptions;
  /** When a tool counts as ill and how it comes back. */
  readonly health?: {
    readonly criticalErrors?: number;
    readonly probeAfterMs?: number;
    readonly initTimeoutMs?: number;
  };
  /** How deep and large arguments may be. */
  readonly argumentLimits?: Partial<PlainLimits>;
  /** Text for the model is cut in the middle beyond this many characters. @default 100000 */
  readonly maxTextChars?: number;
  /** How long a stopped tool that goes on keeps its locks. @default 5000 */
  readonly cancelGraceMs?: number;
  /** `false`: background jobs are refused, because this process ends with its call. @default true */
  readonly jobs?: boolean;
  /** Who acts where a person undoes changes or changes rules through this Tenon. @default { via: "library" } */
  readonly actor?: Actor;
  /** @default the machine's */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: () => number;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default the user's home folder */
  readonly home?: string;
}
