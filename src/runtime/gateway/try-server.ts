import { setTimeout as sleep } from "node:timers/promises";
import type { UpstreamSpec } from "../../contract/ports/upstream.js";
import { openServer } from "../../mcp/client/open-server.js";
import { tryProgram, type SandboxTrial, type TrialOptions } from "../world/observe-program.js";
import type { ProgramSandboxes } from "../world/program-sandboxes.js";

/** Servers go on for a moment after they have listed their tools. */
const settleMs = 500;

/** Start an MCP server in the sandbox, list its tools and end it. */
export function tryServer(
  name: string,
  spec: UpstreamSpec,
  { programs, timeoutMs, signal }: TrialOptions & { readonly programs: ProgramSandboxes },
): Promise<SandboxTrial> {
  const observer = programs.observe({ kind: "server", name });
  return tryProgram(observer, async (onLog) => {
    const server = await openServer(spec, { timeoutMs, signal, confine: observer.confine, onLog });
    try {
      const tools = await server.listTools(signal);
      await sleep(settleMs, undefined, { signal });
      return tools.map((tool) => tool.name);
    } finally {
      await server.close();
    }
  });
}
