import { withinTime } from "../contract/system-clock.js";
import { Hono, type Context } from "hono";
import { prometheusContentType, renderPrometheus } from "../record/prometheus.js";
import { HttpError, notFound, toHttpError } from "./http-error.js";
import type { Admission } from "./gate.js";
import type { BodyBindings } from "./read-request.js";
import type { PersonBindings } from "./request-person.js";
import { addAbout } from "./routes/about.js";
import { addArtifacts } from "./routes/artifacts.js";
import { addCalls } from "./routes/calls.js";
import { addChanges } from "./routes/changes.js";
import { addEndpoints } from "./routes/endpoints.js";
import { addConsole } from "./routes/console.js";
import { addFleet } from "./routes/fleet.js";
import { addJobs } from "./routes/jobs.js";
import { addLayers } from "./routes/layers.js";
import { addLog } from "./routes/log.js";
import { addMcpOffers } from "./routes/mcp-offers.js";
import { addMcpServers } from "./routes/mcp-servers.js";
import { addMetrics } from "./routes/metrics.js";
import { addPerson } from "./routes/person.js";
import { addPolicy } from "./routes/policy.js";
import { addQuarantine } from "./routes/quarantine.js";
import { addSessions } from "./routes/sessions.js";
import { addSystem } from "./routes/system.js";
import { addTeam } from "./routes/team.js";
import { addTools } from "./routes/tools.js";
import { addTrace } from "./routes/trace.js";
import { addWork } from "./routes/work.js";
import type { RouteContext } from "./route-context.js";
import type { ConsoleFiles } from "./static-files.js";

type AppBindings = BodyBindings & PersonBindings;

/** Answers a request elsewhere; `undefined` where it is for this process. */
export type Forward = (request: Request, admitted: Admission) => Promise<Response | undefined>;

export interface AppOptions {
  /** Of a request, in bytes. */
  readonly maxBody: number;
  readonly files: ConsoleFiles;
  readonly forward?: Forward | undefined;
  /** More rows for `/metrics`. */
  readonly metrics?: (() => Promise<string>) | undefined;
  /** Hears of what went wrong inside. */
  readonly onFault: (cause: unknown) => void;
}

/** Every address of the server except for the live feed and MCP; requests have passed the gate. */
export function createApp(
  served: RouteContext,
  options: AppOptions,
): (request: Request, from: PersonBindings) => Response | Promise<Response> {
  const app = new Hono<{ Bindings: AppBindings }>();
  app.onError((thrown, c) => {
    const fault = toHttpError(thrown);
    if (fault.status === 500) options.onFault(thrown);
    if (fault.retryAfter !== undefined) c.header("retry-after", String(fault.retryAfter));
    return c.json(fault.body, fault.status as 500);
  });
  app.notFound(() => {
    throw notFound("Address");
  });
  const { forward } = options;
  if (forward !== undefined) app.use(async (c, next) => (await forward(c.req.raw, c.env.admitted)) ?? next());
  app.get("/health", async (c) => c.json(await healthOf(served, c.env.admitted)));
  app.get("/metrics", async (c) => {
    const { tenon, version, clients } = served;
    const shown = { scheduler: tenon.stats(), version, clients: clients.rows() };
    const text = renderPrometheus(tenon.metrics.snapshot(), shown) + ((await options.metrics?.()) ?? "");
    return c.body(text, 200, { "content-type": prometheusContentType });
  });
  const api = new Hono();
  api.use(limitTime);
  const routes = [
    addCalls,
    addPerson,
    addTools,
    addMetrics,
    addLog,
    addTrace,
    addChanges,
    addQuarantine,
    addLayers,
    addWork,
    addArtifacts,
    addSystem,
    addPolicy,
    addSessions,
    addJobs,
    addEndpoints,
    addTeam,
    addFleet,
  ];
  addAbout(api, served, options.files);
  for (const add of [...routes, addMcpServers, addMcpOffers]) add(api, served);
  api.all("*", () => {
    throw notFound("Address");
  });
  app.route("/api", api);
  addConsole(app as unknown as Hono, options.files);
  return (request, { admitted, base }) => app.fetch(request, { admitted, base, maxBody: options.maxBody });
}

/** Requests must not wait forever; those that may take long have limits of their own. */
function limitTime(c: Context, next: () => Promise<void>): Promise<void> {
  if (takesItsTime.test(c.req.path)) return next();
  const message = `No answer within ${maxMs / 1000} s.`;
  return withinTime(next, maxMs, () => new HttpError(504, { code: "TIMED_OUT", message }));
}

const maxMs = 60_000;
const takesItsTime = /\/call$|\/log\/(?:verify|replay)$|\/undo$|\/layers\/[^/]+\/commit$/;

/** Whether the server runs is public; the rest needs the token. */
async function healthOf(
  { tenon, version }: RouteContext,
  admitted: Admission,
): Promise<Record<string, unknown>> {
  if (admitted.by === "anybody") return { status: "ok" };
  const { status, message, details } = await tenon.health();
  return { status: "ok", version, tools: { status, message, details }, calls: tenon.stats() };
}
