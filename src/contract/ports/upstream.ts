import type { ContentPart } from "../call.js";
import type { JsonSchema } from "../json.js";
import type { RequestExtras } from "./client.js";
import type { SecretScope } from "./secrets.js";
import type { ToolProgress } from "../tool.js";

/** How a program or an address that offers tools over MCP is reached. */
export type UpstreamSpec =
  | {
      readonly kind: "program";
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      /** All it gets; the plain variables of the host are not added. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string | undefined;
      /** Run it in the sandbox, with this access only. @default it runs outside, with all rights of the user */
      readonly sandbox?: SandboxAccess | undefined;
    }
  | {
      readonly kind: "address";
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** @default "http", else "sse" */
      readonly transport?: "http" | "sse" | undefined;
    };

/** What a program in the sandbox may reach besides the system and its own folders. */
export interface SandboxAccess {
  /** Hosts, such as `api.example.org` or `*.example.org:443`; `true` for every host but this machine. @default none */
  readonly network?: boolean | readonly string[] | undefined;
  /** Files and folders that it may read, relative to the workspace. @default none */
  readonly readable?: readonly string[] | undefined;
  /** Files and folders that it may read and write, relative to the workspace. @default none */
  readonly writable?: readonly string[] | undefined;
}

/** A tool as its server describes it; nothing of it is trusted. */
export interface UpstreamTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Other fields of the definition. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** What a tool of a server answered. */
export interface UpstreamResult {
  readonly content: readonly ContentPart[];
  readonly structured?: unknown;
  readonly isError: boolean;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Other fields of the result. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** Calls the listener with the reason when the call must stop, immediately if it must already; the result ends that. */
export type OnStop = (listener: (reason: Error) => void) => () => void;

/** A call to an MCP server. */
export interface UpstreamCall {
  readonly signal: AbortSignal;
  /** In the place of listening to `signal`, see `ToolContext`. */
  readonly onStop?: OnStop | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** What else the request of the caller held. */
  readonly extras?: RequestExtras | undefined;
  /** What the caller can be asked, as MCP's client capabilities. @default nothing */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** The lowest level of log messages that the caller wants. */
  readonly logLevel?: string | undefined;
  /** The era of the protocol that the caller speaks: the server is reached in the same one, if it can. */
  readonly era?: ProtocolEra | undefined;
  /** On whose behalf it is made: decides which stored secrets the server is given. @default the person on the machine itself */
  readonly owner?: SecretScope | undefined;
}

/** The revisions up to 2025-11-25, or those from 2026-07-28 on. */
export type ProtocolEra = "legacy" | "modern";

/** A live connection to one server. */
export interface Upstream {
  readonly name: string;
  readonly version: string;
  /** The revision that both sides speak. */
  readonly protocol: string;
  /** Of the program, where it is one. */
  readonly pid?: number | undefined;
  listTools(signal?: AbortSignal): Promise<readonly UpstreamTool[]>;
  /** Rejects where the server breaks the protocol, dies or is cancelled; a failing tool is a result. */
  callTool(name: string, args: unknown, call: UpstreamCall): Promise<UpstreamResult>;
  /** A request of the caller's own, for a server of the same house. */
  request(method: string, params: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

/** What a connection to an MCP server reports. */
export interface UpstreamEvents {
  readonly onToolsChanged?: (() => void) | undefined;
  /** The connection is gone without having been closed. */
  readonly onLost?: ((reason: string) => void) | undefined;
  /** What the program wrote to its standard error, line by line, bounded. */
  readonly onLog?: ((line: string) => void) | undefined;
}

/** A program that exchanges JSON-RPC messages with Tenon on its standard streams. */
export interface ProgramChannel {
  readonly pid: number | undefined;
  /** Send one serialized message; throws where the program is gone or does not read. */
  send(text: string): void;
  /** End the program and everything it started. */
  close(): Promise<void>;
}

/** What to start in place of a program, so that it runs in the sandbox. */
export interface ConfinedProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment of the started process, which is not that of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File descriptors, from 3 on, from which the process reads these bytes. */
  readonly fds: readonly { readonly fd: number; readonly data: Uint8Array }[];
  /** Must be called when the process was started. */
  started(pid: number): void;
  /** Told what it says about errors, from which it is seen which paths it lacks. */
  heard(text: string): void;
  /** Must be called when it has ended or could not be started. */
  finish(): Promise<void>;
}

/** Prepares a program for the sandbox; rejects if there is none. */
export type ConfineProgram = (
  program: Extract<UpstreamSpec, { kind: "program" }>,
) => Promise<ConfinedProgram>;

export interface ProgramEvents extends Pick<UpstreamEvents, "onLog"> {
  readonly onMessage: (message: Readonly<Record<string, unknown>>) => void;
  /** The program ended, or its output could not be read any further. */
  readonly onLost: (reason: string) => void;
  /** Maximum size of a message; the connection ends where a longer one cannot be skipped. */
  readonly maxMessageBytes: number;
  /** Required for a program that runs in the sandbox. */
  readonly confine?: ConfineProgram | undefined;
}

/** Start a program; rejects where that is not possible. */
export type OpenProgram = (
  spec: Extract<UpstreamSpec, { kind: "program" }>,
  events: ProgramEvents,
) => Promise<ProgramChannel>;

/** Connect; rejects after `timeoutMs` whatever the server does. */
export type OpenUpstream = (
  spec: UpstreamSpec,
  options: UpstreamEvents & { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
) => Promise<Upstream>;
