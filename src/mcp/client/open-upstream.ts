import type { OpenUpstream } from "../../contract/ports/upstream.js";

/**
 * Connect to a program on its standard streams, or to an address over Streamable HTTP (else SSE), in
 * whichever era of the protocol it speaks.
 *
 * @example
 * const upstream = await openUpstream({ kind: "address", url: "https://example.com/mcp" }, { timeoutMs: 10_000 });
 */
export const openUpstream: OpenUpstream = async (spec, options) => {
  const { openServer } = await import("./open-server.js");
  return openServer(spec, options);
};
