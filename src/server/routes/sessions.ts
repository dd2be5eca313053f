import type { Hono } from "hono";
import type { BrowserSessionView, SignedOut } from "../api.js";
import { HttpError, notFound } from "../http-error.js";
import { expiredCookie } from "../enter-console.js";
import { readParam } from "../read-request.js";
import { admissionOf, baseOf, requestPerson } from "../request-person.js";
import type { RouteContext } from "../route-context.js";

/** Browsers that are signed in, and links that let another one in. */
export function addSessions(api: Hono, { access, login, boundPort }: RouteContext): void {
  api.get("/sessions", (c) => {
    const { sessionId } = requestPerson(c);
    const rows = access.sessions.list().map(({ ended: _ended, user, ...session }) => ({
      ...session,
      user: user?.identity.principal,
      current: session.id === sessionId,
    }));
    return c.json(rows satisfies BrowserSessionView[]);
  });
  api.delete("/sessions/:id", (c) => {
    const id = readParam(c, "id");
    if (!access.sessions.end(id)) throw notFound("Session");
    return c.json({ ended: true });
  });
  api.post("/sign-out", async (c) => {
    const admitted = admissionOf(c);
    if (admitted.by !== "browser") throw notFound("Browser session of this request");
    const { id, user } = admitted.session;
    access.sessions.end(id);
    c.header("set-cookie", expiredCookie(c.req.header("host"), boundPort()));
    // If signing out at the provider fails, the person is still signed out here.
    const next = user && (await login?.logoutAddress(user.idToken, baseOf(c)).catch(() => undefined));
    return c.json({ ended: true, next } satisfies SignedOut);
  });
  api.post("/links", (c) => {
    // A page that was taken over could otherwise stay signed in for ever.
    if (requestPerson(c).channel === "console") throw linkForPrograms();
    return c.json(access.createLink());
  });
}

function linkForPrograms(): HttpError {
  return new HttpError(403, {
    code: "LINK_FOR_PROGRAMS",
    message: "A page cannot create links.",
    hint: "Run `tenon serve link` in a terminal.",
  });
}
