import { includesRole, type Identity, type Role } from "../contract/ports/access.js";
import { HttpError } from "./http-error.js";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * What a user needs to be for each address of the server; `:part` stands for one part of a path. An address that is
 * not listed is for admins. The answers of the addresses that viewers and operators may ask show only their own calls.
 */
export const routeRoles: readonly (readonly [method: Method, path: string, role: Role])[] = [
  ["GET", "/health", "viewer"],
  ["GET", "/api/about", "viewer"],
  ["GET", "/api/tools", "viewer"],
  ["GET", "/api/tools/:name", "viewer"],
  // The policy lets a viewer's calls only read.
  ["POST", "/api/tools/:name/call", "viewer"],
  ["GET", "/api/calls/:id", "viewer"],
  ["GET", "/mcp", "viewer"],
  ["POST", "/mcp", "viewer"],
  ["DELETE", "/mcp", "viewer"],
  ["GET", "/mcp/:endpoint", "viewer"],
  ["POST", "/mcp/:endpoint", "viewer"],
  ["DELETE", "/mcp/:endpoint", "viewer"],
  ["GET", "/metrics", "approver"],
  ["GET", "/api/feed", "approver"],
  ["GET", "/api/calls", "approver"],
  ["POST", "/api/calls/:id/cancel", "approver"],
  ["GET", "/api/approvals", "approver"],
  ["POST", "/api/approvals/refuse", "approver"],
  ["POST", "/api/approvals/:id", "approver"],
  ["GET", "/api/questions", "approver"],
  ["POST", "/api/questions/:id", "approver"],
  ["GET", "/api/metrics", "approver"],
  ["GET", "/api/metrics/series", "approver"],
  ["GET", "/api/log", "approver"],
  ["GET", "/api/log/:id", "approver"],
  ["GET", "/api/changes", "approver"],
  ["GET", "/api/policy", "approver"],
  ["POST", "/api/policy/explain", "approver"],
  ["GET", "/api/mcp-servers", "approver"],
];

const compiled = routeRoles.map(([method, path, role]) => ({
  method,
  pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`),
  role,
}));

/** The least role that may ask for an address. */
export function roleFor(method: string, path: string): Role {
  const asked = method === "HEAD" ? "GET" : method;
  return compiled.find((each) => each.method === asked && each.pattern.test(path))?.role ?? "admin";
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
  const needed = roleFor(method, path);
  if (includesRole(role, needed)) return;
  throw new HttpError(403, {
    code: "ROLE_NEEDED",
    message: `This needs the role ${needed}; the token has the role ${role}.`,
    hint: "Ask an admin for another role or token.",
  });
}
