import { resolve } from "node:path";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { UpstreamSpec } from "../../contract/ports/upstream.js";
import { secretsIn } from "../../contract/secret-references.js";
import type { ServerSettings } from "../../mcp/gateway/gateway-types.js";
import { isSecretName } from "../../world/secrets/secret-names.js";
import type { RuntimeBase } from "../state/runtime-base.js";
import { safeEnv } from "../world/safe-env.js";

type ServerConfig = ResolvedConfig["mcpServers"][string];

/** A server of the configuration as the gateway uses it. */
export function toServerSettings(
  server: ServerConfig,
  { env, workspace }: Pick<RuntimeBase, "env" | "workspace">,
): ServerSettings {
  const { enabled, include, exclude, timeoutMs, startTimeoutMs, maxConcurrent, maxPerMinute, lazy } = server;
  const spec: UpstreamSpec =
    "command" in server
      ? {
          kind: "program",
          command: server.command,
          args: server.args,
          env: { ...safeEnv(env), ...server.env },
          cwd: resolve(workspace, server.cwd ?? "."),
          sandbox: server.sandbox,
        }
      : {
          kind: "address",
          url: server.url,
          headers: server.headers,
          transport: server.transport === "streamable-http" ? "http" : server.transport,
        };
  return {
    spec,
    enabled,
    include,
    exclude,
    timeoutMs,
    startTimeoutMs,
    maxConcurrent,
    maxPerMinute,
    lazy,
    trustAnnotations: server.trustAnnotations,
    era: server.era,
    instances: server.instances,
  };
}

/** Values of its entry that are secrets. */
export function secretsInConfig(server: ServerConfig): readonly string[] {
  const isKnown = (value: string): boolean => secretsIn([value]).length === 0;
  if ("command" in server) {
    return Object.entries(server.env ?? {}).flatMap(([name, value]) =>
      isSecretName(name) && isKnown(value) ? [value] : [],
    );
  }
  const secret = server.oauth === undefined || server.oauth === false ? undefined : server.oauth.clientSecret;
  const headers = Object.entries(server.headers ?? {}).flatMap(([name, value]) =>
    (isSecretName(name) || /^(?:authorization|cookie)$/i.test(name)) && isKnown(value)
      ? [value, value.replace(/^\w+ +/, "")]
      : [],
  );
  return [...headers, ...(secret === undefined ? [] : [secret])].filter((value) => value !== "");
}
