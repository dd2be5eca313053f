import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import type { ConfineProgram, UpstreamEvents } from "../../contract/ports/upstream.js";
import type { AnswerServer, EraVerdict, ServerNotice } from "./server-connection.js";

/** How a server is reached, besides where. */
export interface ServerOptions extends UpstreamEvents {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Facts from an earlier connection, which save a request. */
  readonly prior?: EraVerdict | undefined;
  /** Called when the server violated the protocol and the connection continues. */
  readonly onFault?: ((message: string) => void) | undefined;
  /** Told of what else the server notifies its caller of: log messages, changed resources and prompts. */
  readonly onNotice?: ServerNotice | undefined;
  /** Answers requests of the server to its caller. @default they are refused */
  readonly answer?: AnswerServer | undefined;
  /** What the caller can be asked: said once in the era of 2025, by each call in that of 2026. @default nothing */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Speak this era only. @default whichever the server speaks */
  readonly era?: "auto" | "2025" | "2026" | undefined;
  /** The way out to an address. @default the global fetch */
  readonly fetch?: typeof fetch | undefined;
  /** Required for a program that runs in the sandbox. */
  readonly confine?: ConfineProgram | undefined;
  readonly authProvider?: OAuthClientProvider | undefined;
  /** What the browser came back with after a login; asked when the server wants one. @default nobody logs in */
  readonly finishLogin?: (() => Promise<URLSearchParams | undefined>) | undefined;
  /** Longer messages are refused. @default 33554432 */
  readonly maxMessageBytes?: number | undefined;
  /** How the client names itself. @default "tenon" */
  readonly clientName?: string | undefined;
}
