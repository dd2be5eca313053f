import { includesRole, type Role } from "./ports/access.js";

/** Who looks at something: a session, or a request. */
export interface Viewer {
  readonly principal?: string | undefined;
  /** @default "admin" */
  readonly role?: Role | undefined;
}

/** Between the id of a session and the name of the principal that it works for; no name contains it. */
const mark = "~";

/**
 * The principal that data belongs to. `undefined`: the one person who uses Tenon on the machine itself, or with the
 * server's own token.
 */
export function ownerOf({ principal }: Pick<Viewer, "principal">): string | undefined {
  const isEmbedded = principal === undefined || principal === "local" || principal.startsWith("http:");
  return isEmbedded ? undefined : principal;
}

/**
 * The id of a session of this principal. Changes, layers, jobs, outputs, approvals and log records are stored with the
 * id of their session, so it says to whom they belong, in every process and after a restart.
 */
export function toOwnedId(id: string, viewer: Pick<Viewer, "principal">): string {
  const owner = ownerOf(viewer);
  return owner === undefined ? id : `${id}${mark}${owner}`;
}

/** The principal that a session works for, by its id. */
export function ownerOfSession(sessionId: string): string | undefined {
  const at = sessionId.indexOf(mark);
  return at < 0 ? undefined : sessionId.slice(at + 1);
}

/** Whether a given id would name a session of another principal. */
export function claimsOther(sessionId: string, viewer: Pick<Viewer, "principal">): boolean {
  return sessionId.includes(mark) && ownerOfSession(sessionId) !== ownerOf(viewer);
}

/** Which sessions somebody sees what belongs to: its own. `undefined`: all, for approvers and admins. */
export function visibleSessions(viewer: Viewer): ((sessionId: string) => boolean) | undefined {
  if (viewer.role === undefined || includesRole(viewer.role, "approver")) return undefined;
  const owner = ownerOf(viewer);
  return (sessionId) => ownerOfSession(sessionId) === owner;
}
