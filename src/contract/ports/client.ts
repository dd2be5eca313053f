import type { ClientInfo } from "./approval.js";
import type { ProtocolEra } from "./upstream.js";

/** The MCP host at the other end of a session, for what only it can do. */
export interface ClientConnection {
  /** Which program it is, as it describes itself, once it has done so. */
  readonly info?: ClientInfo | undefined;
  /** What it said that it can do. */
  readonly supports: {
    readonly elicitForm: boolean;
    readonly elicitUrl: boolean;
    readonly sample: boolean;
  };
  /** What it declared that servers may ask of it, as MCP writes it: `elicitation`, `sampling` and `roots`. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** The era of the protocol that it speaks. */
  readonly era?: ProtocolEra | undefined;
  /** The lowest level of log messages that it wants; where it said none, the sender decides. */
  readonly logLevel?: string | undefined;
  /** Whether it hears of the progress of the call. @default it does */
  readonly reports?: boolean | undefined;
  /** `_meta` of the request that made the call, without what belongs to the protocol. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** What else that request held. */
  readonly extras?: RequestExtras | undefined;
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
  readonly request?:
    | ((
        method: string,
        request: Readonly<Record<string, unknown>> | undefined,
        signal: AbortSignal,
      ) => Promise<Readonly<Record<string, unknown>>>)
    | undefined;
  /** The same connection for one call, whose questions then belong to the request that made the call. */
  forCall?(callId: string): ClientConnection;
  /** Tell it something while a call runs, as in MCP's `notifications/message`. */
  log(level: string, data: unknown, logger?: string): void;
  /** Send it any other notification, or a log message with further fields. */
  notify?(method: string, params: Readonly<Record<string, unknown>>): void;
}

/** What a request of an MCP host held that Tenon does not read, for the MCP server that answers it. */
export interface RequestExtras {
  /** Parameters that this version does not know. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** It had no `arguments`. */
  readonly bare?: boolean | undefined;
}

/** What the person behind an MCP host said. */
export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}
