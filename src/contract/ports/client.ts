import type { ClientInfo } from "./approval.js";

/** The MCP host at the other end of a session, for what only it can do. */
export interface ClientConnection {
  /** Which program it is, in its own words, once it has said so. */
  readonly info?: ClientInfo | undefined;
  /** What it said that it can do. */
  readonly supports: {
    readonly elicitForm: boolean;
    readonly elicitUrl: boolean;
    readonly sample: boolean;
  };
  /** Ask its person; parameters and result as in MCP's `elicitation/create`. */
  elicit(request: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ElicitAnswer>;
  /** Ask it to show an address to its person, if it can; its reply is ignored. */
  openUrl?(
    what: { readonly id: string; readonly url: string; readonly message: string },
    signal: AbortSignal,
  ): void;
  /** Ask its model; parameters and result as in MCP's `sampling/createMessage`. */
  sample(
    request: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Any other request that a host answers, such as `roots/list`. */
  request?(
    method: string,
    request: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** The same connection for one call, whose questions then belong to the request that made the call. */
  forCall?(callId: string): ClientConnection;
  /** Tell it something while a call runs, as in MCP's `notifications/message`. */
  log(level: string, data: unknown, logger?: string): void;
}

/** What the person behind an MCP host said. */
export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}
