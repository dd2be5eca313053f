import { createHash } from "node:crypto";
import { ToolValidationError } from "../contract/errors.js";
import type { Memory, MemoryShare } from "../contract/ports/memories.js";
import type { SqlValue } from "./sql.js";
import type { Audience } from "./work-scope.js";

/* Who finds a memory is one column: "principal:NAME", "endpoint:NAME", or NULL for everybody. */

/** What is saved without a word about it: a principal's own, and shared where Tenon has one person only. */
export function defaultShare(audience: Audience | undefined): MemoryShare {
  return audience === undefined || audience.principal === localPrincipal ? "all" : "own";
}

/** The person who uses Tenon on the machine itself. */
export const localPrincipal = "local";

/** The column for a memory that this caller saves. */
export function toAudience(share: MemoryShare, audience: Audience | undefined): string | null {
  if (share === "all") return null;
  const { principal = localPrincipal, endpoint } = audience ?? {};
  if (share === "own") return `principal:${principal}`;
  if (endpoint !== undefined) return `endpoint:${endpoint}`;
  throw new ToolValidationError("This session did not come through an MCP endpoint.", {
    code: "VALUE_INVALID",
    hint: 'Use "own" or "all", or connect to /mcp/NAME.',
  });
}

/** A promotion can be shared with more than its origin, never with less: everyone who finds the origin gets it. */
export function promotedAudience(
  origin: string | null,
  share: MemoryShare | undefined,
  audience: Audience | undefined,
): string | null {
  if (origin === null || share === undefined || share === "own") return origin;
  return origin.startsWith("principal:") || share === "all" ? toAudience(share, audience) : origin;
}

/** The column as a memory shows it. */
export function fromAudience(column: string | null): Pick<Memory, "principal" | "endpoint"> {
  if (column === null) return {};
  const [kind, name = ""] = column.split(/:(.*)/s);
  return kind === "endpoint" ? { endpoint: name } : { principal: name };
}

/** The condition for what a caller finds. */
export function foundBy(audience: Audience | undefined): { where: string[]; values: SqlValue[] } {
  if (audience === undefined) return { where: [], values: [] };
  const columns = columnsOf(audience);
  const marks = columns.map(() => "?").join(", ");
  return { where: [`(m.audience IS NULL OR m.audience IN (${marks}))`], values: columns };
}

/** The same for the full text. */
export function facetsFor(audience: Audience | undefined): readonly string[] | undefined {
  return audience === undefined ? undefined : [null, ...columnsOf(audience)].map(audienceFacet);
}

/** The column as a word of the full text. */
export function audienceFacet(column: string | null): string {
  if (column === null) return "forall";
  return `for${createHash("sha256").update(column).digest("hex").slice(0, 24)}`;
}

function columnsOf({ principal, endpoint }: Audience): string[] {
  return [`principal:${principal}`, ...(endpoint === undefined ? [] : [`endpoint:${endpoint}`])];
}
