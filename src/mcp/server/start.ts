import type { StdioTransport } from "./stdio-transport.js";

/** What a quick start hands over to the real server. */
export interface McpStart {
  readonly transport: StdioTransport;
  /** The tools that the host was told of, as JSON; `undefined` where it did not ask yet. */
  toldTools(): string | undefined;
}
