import { checkSpec } from "../../mcp/client/open-upstream.js";
import type { ServerSettings } from "../../mcp/gateway/gateway-types.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";
import type { RuntimeServers } from "./runtime-servers.js";

/** The servers as a program uses them: a key that nothing reads is refused. */
export function withCheckedOptions(servers: RuntimeServers): RuntimeServers {
  return {
    ...servers,
    get configured() {
      return servers.configured;
    },
    async connect(name, spec) {
      if ("spec" in spec) checkKeys(spec, settingNames, "mcp.connect");
      checkSpec("spec" in spec ? spec.spec : spec, "mcp.connect");
      return servers.connect(name, spec);
    },
    async callTool(name, tool, args, options) {
      checkKeys(options, { signal: true, context: true }, "mcp.callTool");
      return servers.callTool(name, tool, args, options);
    },
    async restart(name, options) {
      checkKeys(options, { startTimeoutMs: true }, "mcp.restart");
      return servers.restart(name, options);
    },
    async login(name, options) {
      checkKeys(options, { onLogin: true, signal: true }, "mcp.login");
      return servers.login(name, options);
    },
    async tryInSandbox(name, server, options) {
      checkKeys(options, { timeoutMs: true, signal: true }, "mcp.tryInSandbox");
      return servers.tryInSandbox(name, server, options);
    },
    logs(name, options) {
      checkKeys(options, { lines: true }, "mcp.logs");
      return servers.logs(name, options);
    },
  };
}

const settingNames: KeysOf<ServerSettings> = {
  spec: true,
  enabled: true,
  include: true,
  exclude: true,
  timeoutMs: true,
  startTimeoutMs: true,
  maxConcurrent: true,
  maxPerMinute: true,
  lazy: true,
  trustAnnotations: true,
  instances: true,
  era: true,
};
