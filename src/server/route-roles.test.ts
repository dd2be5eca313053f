import { expect, it } from "vitest";
import { roleFor, routeRoles } from "./route-roles.js";

/** Who may do what, written down a second time: to change it is a decision, not a slip. */
const opened: Readonly<Record<string, readonly string[]>> = {
  viewer: [
    "GET /health",
    "GET /api/about",
    "GET /api/tools",
    "GET /api/tools/:name",
    "POST /api/tools/:name/call",
    "GET /api/calls",
    "GET /api/calls/:id",
    "POST /api/calls/:id/cancel",
    "GET /api/feed",
    "GET /api/log",
    "GET /api/log/tally",
    "GET /api/log/export",
    "GET /api/log/:id",
    "GET /api/log/:id/shown",
    "GET /api/log/:id/part",
    "GET /api/changes",
    "GET /api/approvals",
    "GET /api/questions",
    "GET /api/jobs",
    "GET /api/jobs/:session/:job/output",
    "GET /api/connections",
    "GET /api/layers",
    "GET /api/layers/:id",
    "GET /api/quarantine",
    "GET /api/quarantine/:id",
    "GET /api/plan",
    "GET /api/memories",
    "GET /api/policy",
    "POST /api/policy/explain",
    "GET /api/endpoints",
    "GET /api/limits",
    "GET /api/hosts",
    "GET /api/tokens",
    "GET /api/secrets",
    "POST /api/sign-out",
    "GET /mcp",
    "POST /mcp",
    "DELETE /mcp",
    "GET /mcp/:endpoint",
    "POST /mcp/:endpoint",
    "DELETE /mcp/:endpoint",
  ],
  operator: [
    "POST /api/approvals/refuse",
    "POST /api/approvals/:id",
    "POST /api/questions/:id",
    "POST /api/jobs/:session/:job/input",
    "POST /api/jobs/:session/:job/stop",
    "DELETE /api/policy/rules/:id",
    "DELETE /api/hosts/:id",
    "DELETE /api/tokens/:id",
    "PUT /api/secrets/:name",
    "DELETE /api/secrets/:name",
  ],
  approver: [
    "GET /metrics",
    "GET /api/metrics",
    "GET /api/metrics/series",
    "GET /api/trace",
    "GET /api/traces",
    "GET /api/mcp-servers",
    "GET /api/plugins",
  ],
};

it.each(Object.entries(opened))("opens to a %s what it is meant to", (role, routes) => {
  const found = routes.map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return `${route}: ${roleFor(method, path.replaceAll(/:\w+/g, "some-thing"))}`;
  });
  expect(found).toEqual(routes.map((route) => `${route}: ${role}`));
});

it("opens nothing else to anybody but admins", () => {
  expect(routeRoles).toHaveLength(Object.values(opened).flat().length);
  for (const [method, path] of [
    ["GET", "/api/nowhere"],
    ["POST", "/api/tools"],
    ["PATCH", "/api/tools/x"],
    ["GET", "/api/tools/x/y/z"],
    ["GET", "/api/toolsx"],
  ] as const)
    expect(roleFor(method, path)).toBe("admin");
  expect(roleFor("HEAD", "/api/tools")).toBe(roleFor("GET", "/api/tools"));
});
