import { ToolDefinitionError } from "../../contract/errors.js";
import type { OpenUpstream, UpstreamSpec } from "../../contract/ports/upstream.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";

/**
 * Connect to a program on its standard streams, or to an address over Streamable HTTP (else SSE), in
 * whichever era of the protocol it speaks.
 *
 * @example
 * const upstream = await openUpstream({ kind: "address", url: "https://example.com/mcp" }, { timeoutMs: 10_000 });
 */
export const openUpstream: OpenUpstream = async (spec, options) => {
  checkSpec(spec, "openUpstream");
  checkKeys(options, optionNames, "openUpstream");
  const { openServer } = await import("./open-server.js");
  return openServer(spec, options);
};

const optionNames: KeysOf<Parameters<OpenUpstream>[1]> = {
  timeoutMs: true,
  signal: true,
  onToolsChanged: true,
  onLost: true,
  onLog: true,
};

type Spec<Kind extends UpstreamSpec["kind"]> = Extract<UpstreamSpec, { kind: Kind }>;

const programKeys: KeysOf<Spec<"program">> = {
  kind: true,
  command: true,
  args: true,
  env: true,
  cwd: true,
  sandbox: true,
};

const addressKeys: KeysOf<Spec<"address">> = { kind: true, url: true, headers: true, transport: true };

/** Refuse a description of a server with a key that nothing reads, and one that is neither a program nor an address. */
export function checkSpec(spec: UpstreamSpec, owner: string): void {
  if (spec.kind === "address") return checkKeys(spec, addressKeys, owner);
  if (spec.kind === "program") return checkKeys(spec, programKeys, owner);
  const { kind } = spec as { readonly kind?: unknown };
  throw new ToolDefinitionError(`Unknown kind ${JSON.stringify(kind)} of MCP server for ${owner}.`, {
    hint: 'Give kind: "program" with a command and env, or kind: "address" with a url.',
  });
}
