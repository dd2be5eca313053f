import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { HostChange } from "../../contract/host.js";

/** Tell hosts of 2026-07-28 that something changed. */
export function publishChange(notify: McpHttpHandler["notify"], change: HostChange): void {
  if (change.kind === "resource") notify.resourceUpdated(change.uri);
  else if (change.kind === "tools") notify.toolsChanged();
  else if (change.kind === "prompts") notify.promptsChanged();
  else notify.resourcesChanged();
}
