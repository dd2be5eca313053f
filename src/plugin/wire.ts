import type { ContentPart } from "../contract/call.js";
import type { ErrorInfo } from "../contract/errors.js";
import type { Extension, HookCall } from "../contract/extension.js";
import type { JsonSchema } from "../contract/json.js";
import type { Resources } from "../contract/resources.js";
import type { ClientDoor } from "../contract/ports/client.js";
import type { ShellLine, Tool } from "../contract/tool.js";

/**
 * What Tenon and the process of a plugin say to each other beside plain MCP. All of it goes from Tenon
 * to the process, so that any revision of MCP carries it: what the process wants of Tenon waits in a
 * list that `serve` fetches.
 */
export const methods = {
  /** Load the plugin: {@link OpenParams} → {@link Answer} of a {@link PluginManifest}. */
  open: "tenon/open",
  /** A tool's method other than `execute`: {@link AskToolParams} → {@link Answer}. */
  tool: "tenon/tool",
  /** A hook of an extension: {@link HookParams} → {@link Answer}. */
  hook: "tenon/hook",
  /** Bring answers, take wishes; answered when there are some. */
  serve: "tenon/serve",
  /** Stop the call of a key; its own answer still comes. */
  cancel: "tenon/cancel",
  /** Clean up; the process ends when its input does. */
  close: "tenon/close",
} as const;

/** The key in `_meta` of a `tools/call` and of its result. */
export const metaKey = "tenon/call";

/** An answer within a result: errors keep all their fields this way. */
export type Answer<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ErrorInfo };

export interface OpenParams {
  readonly file: string;
  readonly root: string;
  readonly label: string;
  readonly workspace: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** How long `setup` may take. */
  readonly timeoutMs: number;
}

/** Members of a tool that are data. */
export const toolData = [
  "name",
  "description",
  "category",
  "version",
  "aliases",
  "annotations",
  "examples",
  "dependsOn",
  "capabilities",
  "securityLevel",
  "timeoutMs",
  "retry",
  "fallback",
  "priority",
  "concurrency",
] as const satisfies readonly (keyof Tool)[];

/** Members of a tool that run in the plugin's process. */
export const toolMethods = [
  "resources",
  "shellLine",
  "checkPermissions",
  "preview",
  "healthCheck",
  "init",
  "dispose",
  "render",
] as const satisfies readonly (keyof Tool)[];

export type ToolMethod = (typeof toolMethods)[number];

/** A tool as its process describes it. */
export interface ToolManifest extends Pick<Tool, (typeof toolData)[number]> {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly methods: readonly ToolMethod[];
}

/** Members of an extension that are data. */
export const extensionData = [
  "name",
  "version",
  "description",
  "priority",
  "filter",
  "timeoutMs",
  "onFailure",
] as const satisfies readonly (keyof Extension)[];

/** Hooks that a plugin's process can answer. */
export const hookNames = ["onToolRegister", "onToolUnregister", "onToolExecute", "onToolComplete"] as const;

export type HookName = (typeof hookNames)[number];

export interface ExtensionManifest extends Pick<Extension, (typeof extensionData)[number]> {
  readonly hooks: readonly HookName[];
}

export interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string | undefined;
  readonly tools: readonly ToolManifest[];
  readonly extensions: readonly ExtensionManifest[];
}

/** What the process is told of a call; the doors lead back to it by `key`. */
export interface CallMeta {
  /** One call of the tool, or one question before it: unique while it runs. */
  readonly key: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly taskId?: string | undefined;
  readonly iterationId?: string | undefined;
  readonly agent: string;
  readonly userId?: string | undefined;
  readonly allowedPaths?: readonly string[] | undefined;
  readonly maxTextChars?: number | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The session's environment, where it changed since this process last heard of it. */
  readonly env?: WireEnv | undefined;
  readonly client?: ClientDoor["can"] | undefined;
}

export interface WireEnv {
  readonly values: Readonly<Record<string, string>>;
  /** Names that look secret and may not be read. */
  readonly refused: readonly string[];
}

export interface AskToolParams {
  readonly tool: string;
  readonly method: "prepare" | Exclude<ToolMethod, "resources" | "shellLine" | "render">;
  readonly input?: unknown;
  readonly meta?: CallMeta | undefined;
}

/** What `prepare` answers. */
export interface Prepared {
  readonly resources?: Resources | undefined;
  readonly shellLine?: ShellLine | undefined;
}

export interface HookParams {
  readonly extension: string;
  readonly hook: HookName;
  /** The tool's data members. */
  readonly tool: Readonly<Record<string, unknown>>;
  /** The input, or the answer. */
  readonly subject?: unknown;
  readonly call?: Omit<HookCall, "signal"> | undefined;
}

/** The end of a `tools/call`. */
export interface CallAnswer {
  readonly answer: Answer;
  /** What `render` made of the result. */
  readonly rendered?: string | readonly ContentPart[] | undefined;
  /** What was not fetched before the call ended. */
  readonly wishes?: readonly Wish[] | undefined;
}

/** Something that the process wants of Tenon for one of its calls. */
export type Wish =
  | {
      readonly id: number;
      readonly key: string;
      readonly door: readonly string[];
      readonly args: readonly unknown[];
    }
  | { readonly cancel: number }
  /** No answer is wanted. */
  | { readonly key: string; readonly note: "emit" | "log" | "env"; readonly args: readonly unknown[] }
  | { readonly key: ""; readonly note: "log"; readonly args: readonly unknown[] };

export interface ServeParams {
  readonly answers: readonly { readonly id: number; readonly answer: Answer }[];
  /** Only bring answers; do not wait for wishes. */
  readonly deliver?: boolean | undefined;
}

export interface ServeResult {
  readonly wishes: readonly Wish[];
}

/** The named members of an object that are there. */
export function pick(from: object, keys: readonly string[]): Record<string, unknown> {
  const values = from as Readonly<Record<string, unknown>>;
  return Object.fromEntries(keys.filter((key) => values[key] !== undefined).map((key) => [key, values[key]]));
}

const bytesKey = "$tenon:bytes";
const nothingKey = "$tenon:nothing";

/** Plain JSON in which bytes and missing arguments survive. */
export function encode(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return { [bytesKey]: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  }
  // In a list JSON would make null of it, which is another thing for a default.
  if (Array.isArray(value))
    return value.map((item) => (item === undefined ? { [nothingKey]: true } : encode(item)));
  if (value instanceof Map || value instanceof Set) return encode([...value]);
  if (
    typeof value !== "object" ||
    value === null ||
    typeof (value as { toJSON?: unknown }).toJSON === "function"
  ) {
    return value;
  }
  return mapValues(value, encode);
}

/** What `encode` made, as it was. */
export function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== "object" || value === null) return value;
  if (nothingKey in value) return undefined;
  const bytes = (value as Readonly<Record<string, unknown>>)[bytesKey];
  if (typeof bytes === "string") return new Uint8Array(Buffer.from(bytes, "base64"));
  return mapValues(value, decode);
}

function mapValues(value: object, change: (inner: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
}
