import type { ContentPart } from "../contract/call.js";
import type { ErrorInfo } from "../contract/errors.js";
import type { Extension, HookCall } from "../contract/extension.js";
import type { JsonSchema } from "../contract/json.js";
import type { Resources } from "../contract/resources.js";
import type { ClientConnection } from "../contract/ports/client.js";
import type { ShellLine, Tool } from "../contract/tool.js";

/** What Tenon and a plugin's process exchange over JSON-RPC, besides plain MCP for other clients. */
export const methods = {
  /** Load the plugin: {@link OpenParams} → {@link Answer} of a {@link PluginManifest}. */
  open: "tenon/open",
  /** Run a tool: {@link CallParams} → {@link CallAnswer}. */
  call: "tenon/call",
  /** Call a method of a tool other than `execute`: {@link AskToolParams} → {@link Answer}. */
  tool: "tenon/tool",
  /** Run a hook of an extension: {@link HookParams} → {@link Answer}. */
  hook: "tenon/hook",
  /** Stop the call of a key; its answer is still sent. */
  cancel: "tenon/cancel",
  /** Clean up; the process ends when its input does. */
  close: "tenon/close",
  /** From the process to Tenon: call a member of a context, {@link ContextParams} → {@link Answer}. */
  context: "tenon/context",
  /** From the process to Tenon, without an answer: {@link Note}s of running calls. */
  notes: "tenon/notes",
} as const;

/** Maximum size of a message from the process of a plugin. */
export const maxMessageBytes = 32 * 1024 * 1024;

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
  "config",
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

/** What the process knows of a call; its requests name the call by `key`. */
export interface CallMeta {
  /** Identifies one call of a method of the tool while it runs. */
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
  /** The session's environment, where it changed since it was last sent to this process. */
  readonly env?: WireEnv | undefined;
  readonly client?: ClientConnection["supports"] | undefined;
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

export interface CallParams {
  readonly tool: string;
  readonly input: unknown;
  readonly meta: CallMeta;
}

export interface CallAnswer {
  readonly answer: Answer;
  /** What `render` returned for the result. */
  readonly rendered?: string | readonly ContentPart[] | undefined;
}

/** A call of a member of a running call's context. */
export interface ContextParams {
  /** The {@link CallMeta.key} of the call. */
  readonly key: string;
  /** For example `["files", "read"]`. */
  readonly path: readonly string[];
  readonly args: readonly unknown[];
}

/** A report of a running call, or a log record outside of calls, whose key is "". */
export interface Note {
  readonly key: string;
  readonly kind: "emit" | "log" | "env";
  readonly args: readonly unknown[];
}

/** The named members of an object that are not `undefined`. */
export function pickMembers(from: object, keys: readonly string[]): Record<string, unknown> {
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
  // JSON would turn it into null in a list, which does not select a default value.
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

/** The value that `encode` was given. */
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
