import { includesRole, type Identity, type Role } from "../contract/ports/access.js";
import { HttpError } from "./http-error.js";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * What a user needs to be for each address of the server; `:part` stands for one part of a path. An address that is
 * not listed is for admins. Viewers and operators see and change only what belongs to their own sessions.
 */
export const routeRoles: readonly (readonly [method: Method, path: string, role: Role])[] = [
  ["GET", "/health", "viewer"],
  ["GET", "/api/about", "viewer"],
  ["GET", "/api/tools", "viewer"],
  ["GET", "/api/tools/:name", "viewer"],
  // The policy lets a viewer's calls only read.
  ["POST", "/api/tools/:name/call", "viewer"],
  ["GET", "/api/calls", "viewer"],
  ["GET", "/api/calls/:id", "viewer"],
  ["POST", "/api/calls/:id/cancel", "viewer"],
  ["GET", "/api/feed", "viewer"],
  ["GET", "/api/log", "viewer"],
  ["GET", "/api/log/tally", "viewer"],
  ["GET", "/api/log/export", "viewer"],
  ["GET", "/api/log/:id", "viewer"],
  ["GET", "/api/log/:id/shown", "viewer"],
  ["GET", "/api/log/:id/part", "viewer"],
  ["GET", "/api/changes", "viewer"],
  ["GET", "/api/approvals", "viewer"],
  ["GET", "/api/questions", "viewer"],
  ["GET", "/api/jobs", "viewer"],
  ["GET", "/api/jobs/:session/:job/output", "viewer"],
  ["GET", "/api/connections", "viewer"],
  ["GET", "/api/layers", "viewer"],
  ["GET", "/api/layers/:id", "viewer"],
  ["GET", "/api/quarantine", "viewer"],
  ["GET", "/api/quarantine/:id", "viewer"],
  ["GET", "/api/plan", "viewer"],
  ["GET", "/api/memories", "viewer"],
  ["GET", "/api/policy", "viewer"],
  ["POST", "/api/policy/explain", "viewer"],
  ["GET", "/api/endpoints", "viewer"],
  ["GET", "/api/limits", "viewer"],
  ["GET", "/api/hosts", "viewer"],
  ["GET", "/api/tokens", "viewer"],
  ["GET", "/api/secrets", "viewer"],
  ["POST", "/api/sign-out", "viewer"],
  ["GET", "/mcp", "viewer"],
  ["POST", "/mcp", "viewer"],
  ["DELETE", "/mcp", "viewer"],
  ["GET", "/mcp/:endpoint", "viewer"],
  ["POST", "/mcp/:endpoint", "viewer"],
  ["DELETE", "/mcp/:endpoint", "viewer"],
  // What an operator may refuse, answer, stop or revoke is its own.
  ["POST", "/api/approvals/refuse", "operator"],
  ["POST", "/api/approvals/:id", "operator"],
  ["POST", "/api/questions/:id", "operator"],
  ["POST", "/api/jobs/:session/:job/input", "operator"],
  ["POST", "/api/jobs/:session/:job/stop", "operator"],
  ["DELETE", "/api/policy/rules/:id", "operator"],
  ["DELETE", "/api/hosts/:id", "operator"],
  ["DELETE", "/api/tokens/:id", "operator"],
  ["PUT", "/api/secrets/:name", "operator"],
  ["DELETE", "/api/secrets/:name", "operator"],
  ["GET", "/metrics", "approver"],
  ["GET", "/api/metrics", "approver"],
  ["GET", "/api/metrics/series", "approver"],
  ["GET", "/api/trace", "approver"],
  ["GET", "/api/traces", "approver"],
  ["GET", "/api/mcp-servers", "approver"],
  ["GET", "/api/plugins", "approver"],
];

/** Most requests ask for an address without parts that vary, such as `/mcp`. */
const exact: ReadonlyMap<string, Role> = new Map(
  routeRoles
    .filter(([, path]) => !path.includes(":"))
    .map(([method, path, role]) => [`${method} ${path}`, role]),
);

const compiled = routeRoles
  .filter(([, path]) => path.includes(":"))
  .map(([method, path, role]) => ({
    method,
    pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`),
    role,
  }));

/** The least role that may ask for an address. */
export function roleFor(method: string, path: string): Role {
  const asked = method === "HEAD" ? "GET" : method;
  return (
    exact.get(`${asked} ${path}`) ??
    compiled.find((each) => each.method === asked && each.pattern.test(path))?.role ??
    "admin"
  );
}

/** Refuse a user an address that its role or its token does not open. */
export function checkRole(identity: Identity, { method, path }: { method: string; path: string }): void {
  const { role, endpoint } = identity;
  if (endpoint !== undefined && path !== `/mcp/${endpoint}`) {
    throw new HttpError(403, {
      code: "TOKEN_FOR_ENDPOINT",
      message: `This token opens /mcp/${endpoint} only.`,
      hint: "Ask an admin for a token without an endpoint.",
    });
  }
  requireRole(role, roleFor(method, path));
}

/** Refuse what needs a higher role. */
export function requireRole(role: Role, needed: Role): void {
  if (includesRole(role, needed)) return;
  throw new HttpError(403, {
    code: "ROLE_NEEDED",
    message: `This needs the role ${needed}; the token has the role ${role}.`,
    hint: "Ask an admin for another role or token.",
  });
}
