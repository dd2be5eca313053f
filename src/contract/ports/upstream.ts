import type { ContentPart } from "../call.js";
import type { JsonSchema } from "../json.js";
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
    }
  | {
      readonly kind: "address";
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** @default "http", else "sse" */
      readonly transport?: "http" | "sse" | undefined;
    };

/** A tool as its server describes it; nothing of it is trusted. */
export interface UpstreamTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** What a tool of a server answered. */
export interface UpstreamResult {
  readonly content: readonly ContentPart[];
  readonly structured?: unknown;
  readonly isError: boolean;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

export interface UpstreamCall {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

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

export interface UpstreamEvents {
  readonly onToolsChanged?: (() => void) | undefined;
  /** The connection is gone without having been closed. */
  readonly onLost?: ((reason: string) => void) | undefined;
  /** What the program wrote to its standard error, line by line, bounded. */
  readonly onLog?: ((line: string) => void) | undefined;
}

/** Connect; rejects after `timeoutMs` whatever the server does. */
export type OpenUpstream = (
  spec: UpstreamSpec,
  options: UpstreamEvents & { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
) => Promise<Upstream>;
