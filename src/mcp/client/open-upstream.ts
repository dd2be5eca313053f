import { ToolDefinitionError } from "../../contract/errors.js";
import type { OpenUpstream, UpstreamSpec } from "../../contract/ports/upstream.js";
import { isRecord } from "../../contract/is-record.js";
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
  if (!isRecord(options) || !(options.timeoutMs > 0)) {
    throw new ToolDefinitionError(
      "openUpstream needs timeoutMs, the time limit for connecting in milliseconds.",
      {
        hint: "Pass { timeoutMs: 10_000 } as its second argument.",
      },
    );
  }
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

/**
 * Refuse a description of a server with a key that nothing reads or a value that cannot work, and one that is neither a
 * program nor an address.
 */
export function checkSpec(spec: UpstreamSpec, owner: string): void {
  const given: Readonly<Record<string, unknown>> = isRecord(spec) ? spec : {};
  if (given["kind"] === "address") {
    checkKeys(spec as Spec<"address">, addressKeys, owner);
    if (URL.canParse(String(given["url"]))) return;
    throw wrongValue(given, "url", { owner, expected: "an address such as https://example.org/mcp" });
  }
  if (given["kind"] === "program") {
    checkKeys(spec as Spec<"program">, programKeys, owner);
    const { command, args = [], env } = given;
    if (typeof command !== "string" || command === "")
      throw wrongValue(given, "command", { owner, expected: "the name or path of a program" });
    if (!isTexts(args)) throw wrongValue(given, "args", { owner, expected: "a list of texts" });
    if (!isRecord(env) || !isTexts(Object.values(env)))
      throw wrongValue(given, "env", { owner, expected: "an object of texts" });
    return;
  }
  throw new ToolDefinitionError(`Unknown kind ${JSON.stringify(given["kind"])} of MCP server for ${owner}.`, {
    hint: 'Give kind: "program" with a command and env, or kind: "address" with a url.',
  });
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** Not with the value itself: a wrong one of `env` may still hold a secret. */
function wrongValue(
  spec: Readonly<Record<string, unknown>>,
  key: string,
  { owner, expected }: { readonly owner: string; readonly expected: string },
): ToolDefinitionError {
  const problem = spec[key] === undefined ? "is missing" : "is invalid";
  return new ToolDefinitionError(`The ${key} of the MCP server for ${owner} ${problem}.`, {
    hint: `Give ${key}: ${expected}.`,
  });
}
