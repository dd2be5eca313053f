import type { HostScope } from "../../contract/host.js";

/** Whether a host may use a server: an MCP endpoint may offer only some of them. */
export function isOffered({ name }: { readonly name: string }, { servers }: HostScope): boolean {
  return servers === undefined || servers.includes(name);
}
