import type { UpstreamTool } from "../../contract/ports/upstream.js";
import { diffDefinitions } from "./fingerprint.js";
import type { ServerView } from "./gateway-types.js";
import type { ScreenedTool } from "./screen-tool.js";

/** A changed definition that must not be used before a person has looked at it. */
export interface HeldTool {
  readonly tool: string;
  readonly reason: string;
  readonly diff: string;
  readonly offered: ScreenedTool;
  /** A person has looked at it and refused it. */
  readonly rejected: boolean;
}

/** Hold a definition back. @param known The one that was accepted before, and whether a person has refused this one. */
export function holdTool(
  offered: ScreenedTool,
  { before, rejected }: { readonly before: UpstreamTool; readonly rejected: boolean },
): HeldTool {
  const diff = diffDefinitions(before, offered.raw);
  const held = { tool: offered.raw.name, reason: "its definition changed after it was accepted", diff };
  return rejected ? toRejected({ ...held, offered, rejected }) : { ...held, offered, rejected };
}

/** The same once a person has refused it. */
export function toRejected(held: HeldTool): HeldTool {
  return { ...held, reason: "its definition changed, and a person rejected the change", rejected: true };
}

export function toHeldView({ tool, reason, diff, offered, rejected }: HeldTool): ServerView["held"][number] {
  return { tool, reason, diff, warnings: offered.warnings, ...(rejected && { rejected }) };
}
