import { createHash } from "node:crypto";
import * as z from "zod";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { Forward } from "../../server/create-app.js";
import type { Admission } from "../../server/gate.js";
import { HttpError } from "../../server/http-error.js";
import { httpPrincipal } from "../../server/principal.js";
import { fleetAway } from "../bus/fleet-error.js";
import type { SessionFacts } from "../protocol.js";
import { drainWorker, moveWorkspace } from "./fleet-actions.js";
import { viewFleet } from "./fleet-status.js";
import type { Front } from "./front.js";

export interface ForwardOptions {
  readonly front: Front;
  readonly config: Pick<ResolvedConfig, "fleet">;
  /** Whether NATS and PostgreSQL can be reached; what is missing, where not. */
  readonly missing: () => string | undefined;
}

/** Addresses that every front answers itself: its own browsers and hosts, what it is, and the users that all fronts share. */
const own = /^\/api\/(?:about|links|sessions|sign-out|feed|users|tokens|hosts|endpoints)(?:\/|$)/;

/** Reads that go through a whole log or ask other programs. */
const takesLong = /^\/api\/(?:doctor$|log\/export$)/;

const callBody = z.strictObject({
  arguments: z.unknown().optional(),
  id: z.string().min(1).max(200).optional(),
  taskId: z.string().min(1).max(200).optional(),
  timeoutMs: z.number().int().min(1).max(86_400_000).optional(),
});
const moveBody = z.strictObject({ workspace: z.string().max(64), worker: z.string().max(128) });
const drainBody = z.strictObject({ worker: z.string().max(128) });

/** Answer requests to the console's API by the workers that have what is asked for. */
export function createForward(options: ForwardOptions): Forward {
  const { front, missing } = options;
  return async (request, admitted) => {
    const url = new URL(request.url);
    if (!url.pathname.startsWith("/api/") || own.test(url.pathname)) return undefined;
    const away = missing();
    if (away !== undefined) throw unavailable(away);
    if (url.pathname.startsWith("/api/fleet")) return answerFleet(front, url.pathname, request);
    const waiting = /^\/api\/(approvals|questions)(?:\/(.+))?$/.exec(url.pathname);
    if (waiting !== null)
      return answerWaiting(options, request, { admitted, url, kind: waiting[1], id: waiting[2] });
    const call = /^\/api\/tools\/([^/]+)\/call$/.exec(url.pathname);
    const workspace = workspaceIn(request, url) ?? options.config.fleet.workspace;
    if (call !== null && request.method === "POST")
      return makeCall(front, request, { admitted, workspace, name: decodeURIComponent(call[1] ?? "") });
    return askWorker(front, request, { admitted, url, workspace });
  };
}

/** Nothing new is taken while a server is away; it is told at once. */
export function unavailable(what: string): HttpError {
  const {
    code,
    hint = "",
    message,
  } = fleetAway(`${what} cannot be reached, so no new requests are accepted.`);
  return new HttpError(503, { code, message, hint }, { retryAfter: 2 });
}

async function answerFleet(front: Front, path: string, request: Request): Promise<Response> {
  if (path === "/api/fleet" && request.method === "GET")
    return Response.json(await viewFleet(front.bus, front.roster));
  const read = async <T>(schema: z.ZodType<T>): Promise<T> => parseBody(schema, await request.text());
  if (path === "/api/fleet/drain" && request.method === "POST") {
    const { worker } = await read(drainBody);
    await drainWorker(front, worker);
    return Response.json({ drained: worker });
  }
  if (path === "/api/fleet/move" && request.method === "POST") {
    const { workspace, worker } = await read(moveBody);
    return Response.json(await moveWorkspace(front, workspace, worker));
  }
  throw new HttpError(404, { code: "NOT_FOUND", message: "Address not found." });
}

interface Waiting {
  readonly approvals: readonly { readonly id: string; readonly workspace: string }[];
  readonly questions: readonly { readonly id: string; readonly workspace: string }[];
}

/** What waits for people in all workspaces: each worker knows its own. */
async function allWaiting(front: Front): Promise<Waiting> {
  const asked = front.roster
    .workers()
    .map(({ id }) => front.ask(id, { verb: "waiting", workspace: "", timeoutMs: 5000 }));
  const found = (await Promise.allSettled(asked)).flatMap((one) =>
    one.status === "fulfilled" ? (one.value as readonly Waiting[]) : [],
  );
  return {
    approvals: found.flatMap(({ approvals }) => approvals),
    questions: found.flatMap(({ questions }) => questions),
  };
}

interface WaitingRequest {
  readonly admitted: Admission;
  readonly url: URL;
  readonly kind: string | undefined;
  readonly id: string | undefined;
}

async function answerWaiting(
  { front }: ForwardOptions,
  request: Request,
  { admitted, url, kind, id }: WaitingRequest,
): Promise<Response> {
  const all = (await allWaiting(front))[kind === "approvals" ? "approvals" : "questions"];
  if (id === undefined) return Response.json(all.filter((one) => fits(one, url.searchParams)));
  const body = await request.text();
  const send = (workspace: string): Promise<Response> =>
    askWorker(front, request, { admitted, url, workspace, body });
  if (id !== "refuse") {
    const meant = all.find((one) => one.id === decodeURIComponent(id));
    if (meant === undefined)
      throw new HttpError(404, {
        code: "NOT_FOUND",
        message: "Request not found.",
        hint: "It was answered elsewhere, expired, or its call has ended.",
      });
    return send(meant.workspace);
  }
  const refused = await Promise.all([...new Set(all.map(({ workspace }) => workspace))].map(send));
  const counts = await Promise.all(
    refused.map(async (answer) => ((await answer.json()) as { refused?: number }).refused ?? 0),
  );
  return Response.json({ refused: counts.reduce((sum, count) => sum + count, 0) });
}

function fits(one: object, wanted: URLSearchParams): boolean {
  const { sessionId, toolName, agent, client, workspace } = one as Record<string, unknown>;
  const facts: Record<string, unknown> = {
    session: sessionId,
    tool: toolName,
    agent,
    workspace,
    client: (Object(client) as { name?: unknown }).name,
  };
  return [...wanted].every(([key, value]) => facts[key] === value);
}

/** The workspace that a request names; the routes themselves do not know the word. */
function workspaceIn(request: Request, url: URL): string | undefined {
  const named = request.headers.get("tenon-workspace") ?? url.searchParams.get("workspace") ?? undefined;
  if (named !== undefined && !/^[a-z0-9][a-z0-9_-]{0,63}$/.test(named))
    throw new HttpError(400, { code: "REQUEST_INVALID", message: "Invalid workspace name." });
  return named;
}

async function makeCall(
  front: Front,
  request: Request,
  {
    admitted,
    workspace,
    name,
  }: { readonly admitted: Admission; readonly workspace: string; readonly name: string },
): Promise<Response> {
  const body = parseBody(callBody, (await request.text()) || "{}");
  const idempotencyKey = request.headers.get("idempotency-key") ?? undefined;
  const { envelope } = await front.calls.run({
    id: front.newCallId(),
    workspace,
    session: sessionOf(admitted),
    name,
    arguments: body.arguments ?? {},
    signal: request.signal,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(body.taskId !== undefined && { taskId: body.taskId }),
    ...(body.timeoutMs !== undefined && { timeoutMs: body.timeoutMs }),
  });
  const code = envelope.error?.code;
  if (code === "OUTCOME_UNKNOWN") return Response.json(envelope, { status: 504 });
  const isAway = code === "FLEET_UNAVAILABLE" || code === "WORKSPACE_UNAVAILABLE";
  return Response.json(envelope, isAway ? { status: 503, headers: { "retry-after": "2" } } : {});
}

/** One session for each person or program that makes calls without MCP, the same on all fronts. */
function sessionOf(admitted: Admission): SessionFacts {
  if (admitted.by !== "user") return { id: "api-token", agent: "person", principal: httpPrincipal };
  const { principal, kind, role } = admitted.identity;
  const id = createHash("sha256").update(`${principal}:${role}`).digest("hex").slice(0, 32);
  return {
    id: `api-${id}`,
    agent: kind === "person" ? "person" : principal,
    userId: principal,
    principal,
    role,
  };
}

async function askWorker(
  front: Front,
  request: Request,
  options: {
    readonly admitted: Admission;
    readonly url: URL;
    readonly workspace: string;
    readonly body?: string;
  },
): Promise<Response> {
  const { admitted, url, workspace } = options;
  const query = new URLSearchParams(url.searchParams);
  query.delete("workspace");
  const path = query.size === 0 ? url.pathname : `${url.pathname}?${query.toString()}`;
  const body = options.body ?? (request.method === "GET" ? "" : await request.text());
  const type = request.headers.get("content-type");
  const isList = request.method === "GET" && !takesLong.test(url.pathname);
  const answer = (await front.askOwner(workspace, {
    verb: "http",
    ...(isList && { timeoutMs: front.listMs }),
    http: {
      method: request.method,
      path,
      ...(body !== "" && { body }),
      ...(type !== null && { headers: { "content-type": type } }),
      admission: toPlain(admitted),
    },
  })) as { status: number; headers: Record<string, string>; body: string };
  const { status, headers } = answer;
  return new Response(status === 204 ? null : Buffer.from(answer.body, "base64"), { status, headers });
}

/** How the one who asks came in, without what only lives here. */
function toPlain(admitted: Admission): Record<string, unknown> {
  if (admitted.by !== "browser") return { ...admitted };
  const { id, browser } = admitted.session;
  return { by: "browser", session: { id, browser } };
}

function parseBody<T>(schema: z.ZodType<T>, text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError(400, { code: "REQUEST_INVALID", message: "The body is not valid JSON." });
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw new HttpError(400, {
    code: "REQUEST_INVALID",
    message: `${where === "" ? "Body" : where}: ${issue?.message ?? "invalid"}`,
  });
}
