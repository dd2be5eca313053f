import type { UpstreamTool } from "../../contract/ports/upstream.js";
import { showText } from "./clean-text.js";
import { screenTool, type ScreenedTool } from "./screen-tool.js";

/** A listing taken apart: what may be used, and what not and why. */
export interface ScreenedListing {
  readonly tools: ReadonlyMap<string, ScreenedTool>;
  readonly refused: readonly { readonly tool: string; readonly reason: string }[];
}

export interface ScreenOptions {
  readonly server: string;
  /** Whether the person wants this tool at all. */
  readonly wanted: (name: string) => boolean;
  /** Whose name the tool would take, if anyone's. */
  readonly ownerOf: (name: string) => string | undefined;
}

/** How many refusals are kept: a listing can be endless. */
const maxRefused = 1000;

/** Judge a whole listing, tool by tool. */
export function screenListing(listed: readonly UpstreamTool[], options: ScreenOptions): ScreenedListing {
  const tools = new Map<string, ScreenedTool>();
  const taken = new Set<string>();
  const refused: { tool: string; reason: string }[] = [];
  for (const raw of listed) {
    if (raw.name !== "" && !options.wanted(raw.name)) continue;
    const reason = refusal(raw, { ...options, taken, tools });
    if (reason !== undefined && refused.length < maxRefused) {
      refused.push({ tool: raw.name === "" ? "(no name)" : showText(raw.name), reason });
    }
  }
  return { tools, refused };
}

interface Open extends ScreenOptions {
  readonly taken: Set<string>;
  readonly tools: Map<string, ScreenedTool>;
}

function refusal(raw: UpstreamTool, { server, ownerOf, taken, tools }: Open): string | undefined {
  const screened = screenTool(raw, server);
  if (!screened.ok) return screened.reason;
  const folded = fold(raw.name);
  if (taken.has(folded)) return "another tool of the server has the same name";
  const owner = ownerOf(raw.name);
  if (owner !== undefined) return `it would replace ${owner}`;
  taken.add(folded);
  tools.set(raw.name, screened.tool);
  return undefined;
}

/** Names that look the same to a person or a model are the same. */
function fold(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}
