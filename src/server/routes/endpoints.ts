import type { Context, Hono } from "hono";
import { hostSnippets } from "../../mcp/host-snippets.js";
import type { EndpointView, LimitView } from "../api.js";
import { sessionsSeenBy, requestUser } from "../request-person.js";
import type { RouteContext } from "../route-context.js";

/** Where MCP hosts connect, and the limits on their calls. */
export function addEndpoints(api: Hono, { tenon }: RouteContext): void {
  api.get("/endpoints", (c) => {
    const rules = tenon.policy.rules();
    const views = [["", {}] as const, ...Object.entries(tenon.config.endpoints)].map(
      ([name, offered]): EndpointView => {
        const url = `${originOf(c)}/mcp${name === "" ? "" : `/${name}`}`;
        const hostName = name === "" ? "tenon" : `tenon-${name}`;
        return {
          name,
          url,
          ...offered,
          rules: rules.filter(({ rule }) => name !== "" && rule.endpoint === name).length,
          hosts: hostSnippets({ name: hostName, connection: { url } }),
        };
      },
    );
    return c.json(views);
  });
  api.get("/limits", (c) => {
    const own = requestUser(c)?.principal;
    const isSeen = ({ user, agent }: LimitView): boolean =>
      sessionsSeenBy(c) === undefined || (user === own && agent === undefined);
    return c.json(tenon.limits.uses().filter(isSeen) satisfies readonly LimitView[]);
  });
}

/** As the one who asks reaches the server; the gate has checked the name. */
function originOf(c: Context): string {
  const { protocol, host } = new URL(c.req.url);
  return `${protocol}//${c.req.header("host") ?? host}`;
}
