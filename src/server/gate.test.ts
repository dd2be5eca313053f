import { describe, expect, it } from "vitest";
import { consoleHeader, pageHeader } from "./api.js";
import { HttpError } from "./http-error.js";
import { AttemptLimit } from "./attempt-limit.js";
import { BrowserSessions } from "./browser-sessions.js";
import { cookieNameFor, createGate, type GateOptions, type GateRequest } from "./gate.js";
import { mcpToken } from "./token.js";
import { tokenPrefix } from "../contract/ports/access.js";

const token = "the-token-of-this-server";
const controlKey = "the-key-of-the-command-line";
const own = "http://localhost:4123";

interface Options extends Pick<GateOptions, "anyAddress" | "acceptsJwt" | "hasLogin"> {
  readonly maxWrong?: number;
}

function openGate({ maxWrong, ...options }: Options = {}) {
  const sessions = new BrowserSessions({ now: () => 1 });
  const attempts = new AttemptLimit({ now: () => 1, maxWrong });
  const names = new Set(["localhost", "127.0.0.1", "::1"]);
  const gate = createGate({ token, controlKey, sessions, attempts, names, port: 4123, ...options });
  const signedIn = sessions.open({ address: "127.0.0.1" });
  const cookie = `${cookieNameFor("localhost:4123", 4123)}=${signedIn.cookie}`;
  const connection = {};
  const page = { cookie, [pageHeader]: signedIn.pageSecret };
  /** How the request was let in, or the code of the fault. */
  const admit = (method: string, path: string, headers: GateRequest["headers"] = {}, query = ""): string => {
    const all: GateRequest["headers"] = { host: "localhost:4123", ...headers };
    const rawHeaders = Object.entries(all).flatMap(([name, value]) => [name, String(value)]);
    const visit = { method, path, headers: all, rawHeaders, address: "1.2.3.4", connection };
    try {
      return gate({ ...visit, query: new URLSearchParams(query) }).by;
    } catch (error) {
      if (error instanceof HttpError) return `${error.status} ${error.body.error.code}`;
      throw error;
    }
  };
  return { admit, cookie, page, gate };
}

const bearer = (given: string) => ({ authorization: `Bearer ${given}` });

describe("the gate", () => {
  it.each([
    ["GET", "/health", "anybody"],
    ["HEAD", "/health", "anybody"],
    ["POST", "/health", "401 TOKEN_NEEDED"],
    ["DELETE", "/health", "401 TOKEN_NEEDED"],
    ["GET", "/health/more", "401 TOKEN_NEEDED"],
    ["HEAD", "/.well-known/oauth-protected-resource", "anybody"],
    ["POST", "/.well-known/oauth-protected-resource", "401 TOKEN_NEEDED"],
    ["GET", "/", "401 TOKEN_NEEDED"],
    ["GET", "/api/tools", "401 TOKEN_NEEDED"],
    ["GET", "/enter", "entry"],
    ["POST", "/enter", "401 TOKEN_NEEDED"],
    ["HEAD", "/enter", "401 TOKEN_NEEDED"],
  ])("lets %s %s without anything in as: %s", (method, path, expected) => {
    expect(openGate().admit(method, path)).toBe(expected);
  });

  it.each([
    ["GET", "/", "browser"],
    ["HEAD", "/assets/app.js", "browser"],
    ["GET", "/apiary", "browser"],
    ["POST", "/", "401 TOKEN_NEEDED"],
    ["OPTIONS", "/", "401 TOKEN_NEEDED"],
    ["GET", "/api", "401 TOKEN_NEEDED"],
    ["GET", "/api/tools", "401 TOKEN_NEEDED"],
    ["HEAD", "/api/tools", "401 TOKEN_NEEDED"],
    ["GET", "/mcp", "401 TOKEN_NEEDED"],
    ["GET", "/metrics", "401 TOKEN_NEEDED"],
    ["GET", "/health", "anybody"],
  ])("lets %s %s with the cookie alone in as: %s", (method, path, expected) => {
    const { admit, cookie } = openGate();
    expect(admit(method, path, { cookie })).toBe(expected);
  });

  it("lets the page read with its secret, and change something only as our own page", () => {
    const { admit, page } = openGate();
    for (const method of ["GET", "HEAD"]) expect(admit(method, "/api/tools", page)).toBe("browser");
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      expect(admit(method, "/api/tools", page)).toBe("403 CSRF_REFUSED");
      expect(admit(method, "/api/tools", { ...page, origin: own })).toBe("403 CSRF_REFUSED");
      expect(admit(method, "/api/tools", { ...page, [consoleHeader]: "1" })).toBe("403 CSRF_REFUSED");
      expect(admit(method, "/api/tools", { ...page, origin: own, [consoleHeader]: "1" })).toBe("browser");
    }
    expect(admit("GET", "/api/tools", { ...page, [pageHeader]: "wrong" })).toBe("401 TOKEN_NEEDED");
    expect(admit("GET", "/api/tools", { ...page, [pageHeader]: [page[pageHeader]] as never })).toBe(
      "401 TOKEN_NEEDED",
    );
  });

  it("opens with each secret what that secret is for", () => {
    const { admit } = openGate();
    const host = bearer(mcpToken(token));
    const control = bearer(controlKey);
    expect(admit("POST", "/api/calls", bearer(token))).toBe("token");
    expect(admit("POST", "/api/calls", { authorization: `bearer   ${token}` })).toBe("token");
    expect(admit("POST", "/api/calls", { authorization: token })).toBe("401 TOKEN_NEEDED");
    expect(admit("POST", "/mcp", host)).toBe("host");
    expect(admit("POST", "/mcp/", host)).toBe("403 TOKEN_FOR_MCP");
    expect(admit("GET", "/api/tools", host)).toBe("403 TOKEN_FOR_MCP");
    for (const path of ["/api/links", "/api/sessions", "/api/sessions/ab12"]) {
      expect(admit("POST", path, control)).toBe("control");
    }
    expect(admit("GET", "/api/mcp-servers", control)).toBe("control");
    for (const path of ["/api/links/x", "/api/sessionsx", "/api/mcp-servers", "/mcp", "/"]) {
      expect(admit("POST", path, control)).toBe("403 TOKEN_FOR_CONTROL");
    }
    expect(admit("GET", "/", {}, `token=${token}`)).toBe("401 TOKEN_IN_URL");
    expect(admit("GET", "/", bearer(token), "token=")).toBe("401 TOKEN_IN_URL");
  });

  it.each([
    ["GET", "/api/mcp-servers", true],
    ["HEAD", "/api/mcp-servers", false],
    ["GET", "/api/mcp-servers/github", false],
    ["POST", "/api/mcp-servers/github/restart", true],
    ["POST", "/api/mcp-servers/github/stop", true],
    ["POST", "/api/mcp-servers/github/approve", false],
    ["POST", "/api/mcp-servers/a/b/restart", false],
    ["POST", "/api/mcp-servers//restart", false],
    ["POST", "/api/mcp-servers/github/restart/x", false],
    ["POST", "/v2/api/mcp-servers/github/stop", false],
    ["GET", "/api/tools", false],
  ])("lets the command line's key use %s %s: %s", (method, path, opened) => {
    const expected = opened ? "control" : "403 TOKEN_FOR_CONTROL";
    expect(openGate().admit(method, path, bearer(controlKey))).toBe(expected);
  });

  it("leaves a user's token to the state, wherever it is used, and counts no attempt", () => {
    const { admit, gate } = openGate({ maxWrong: 1 });
    const secret = `${tokenPrefix}abc`;
    for (const path of ["/api/calls", "/mcp", "/"])
      expect(admit("POST", path, bearer(secret))).toBe("unknown-token");
    const headers = { host: "localhost", ...bearer(secret) };
    const visit = { method: "GET", path: "/", query: new URLSearchParams(), headers, rawHeaders: [] };
    expect(gate({ ...visit, address: "1.2.3.4", connection: {} })).toEqual({ by: "unknown-token", secret });
  });

  it("takes tokens of an authorization server for MCP alone, and only where it has one", () => {
    const jwt = bearer("aaa.bbb.c-_");
    const { admit } = openGate({ acceptsJwt: true, maxWrong: 3 });
    expect(admit("POST", "/mcp", jwt)).toBe("unknown-token");
    expect(admit("POST", "/mcp/team", bearer("aaa.bbb."))).toBe("unknown-token");
    expect(admit("POST", "/api/calls", jwt)).toBe("403 TOKEN_FOR_MCP");
    for (const wrong of ["aaa.bbb", "aaa.bbb.ccc.ddd", "aaa..ccc"])
      expect(admit("POST", "/mcp", bearer(wrong))).toBe("401 TOKEN_NEEDED");
    expect(openGate().admit("POST", "/mcp", jwt)).toBe("401 TOKEN_NEEDED");
    expect(openGate({ acceptsJwt: false }).admit("POST", "/mcp", jwt)).toBe("401 TOKEN_NEEDED");
  });

  it("shows somebody without a session the page and the ways to sign in where there is one", () => {
    const { admit } = openGate({ hasLogin: true });
    for (const path of ["/login", "/login-return", "/login-methods"]) {
      expect(admit("GET", path)).toBe("login");
      expect(admit("POST", path)).toBe("401 TOKEN_NEEDED");
      expect(openGate().admit("GET", path)).toBe("401 TOKEN_NEEDED");
    }
    expect(admit("GET", "/login/more")).toBe("anybody");
    expect(admit("GET", "/")).toBe("anybody");
    expect(admit("HEAD", "/assets/app.js")).toBe("anybody");
    expect(admit("POST", "/")).toBe("401 TOKEN_NEEDED");
    expect(admit("GET", "/api/tools")).toBe("401 TOKEN_NEEDED");
  });

  it("says what is missing: a token, or what goes with the cookie", () => {
    const { gate, cookie } = openGate();
    const messageFor = (headers: GateRequest["headers"]): string => {
      const visit = { method: "GET", path: "/api/tools", query: new URLSearchParams(), rawHeaders: [] };
      try {
        gate({ ...visit, headers: { host: "localhost:4123", ...headers }, address: "::1", connection: {} });
      } catch (error) {
        if (error instanceof HttpError) return error.body.error.message;
      }
      return "let in";
    };
    expect(messageFor({})).toBe("A token is required.");
    expect(messageFor({ cookie })).toContain(`the header ${pageHeader} is missing`);
    expect(messageFor(bearer("wrong"))).toBe("The token is wrong.");
    expect(messageFor({ cookie, ...bearer("wrong") })).toBe("The token is wrong.");
  });

  it.each([
    ["Bearer", "401 TOKEN_NEEDED"],
    [`Basic ${token}`, "401 TOKEN_NEEDED"],
    [`Bearer ${token} x`, "401 TOKEN_NEEDED"],
    [`x Bearer ${token}`, "401 TOKEN_NEEDED"],
    [`BEARER ${token}`, "token"],
  ])("takes the header %j as: %s", (authorization, expected) => {
    expect(openGate().admit("GET", "/", { authorization })).toBe(expected);
  });

  it("counts wrong tokens, and goes on to take the right one", () => {
    const { admit } = openGate({ maxWrong: 2 });
    const answers = ["a", "b", "c"].map((wrong) => admit("GET", "/", bearer(wrong)));
    expect(answers.slice(0, 2)).toEqual(["401 TOKEN_NEEDED", "401 TOKEN_NEEDED"]);
    expect(answers[2]).toMatch(/^429 /);
    expect(admit("GET", "/", bearer(token))).toBe("token");
  });

  it.each([
    ["localhost:4123", true],
    ["LOCALHOST", true],
    ["localhost.:9", true],
    ["127.0.0.1:80", true],
    ["[::1]:4123", true],
    ["evil.org", false],
    ["localhost.evil.org", false],
    ["localhost:123456", false],
    ["user@localhost", false],
    ["10.0.0.7", false],
    ["", false],
  ])("goes by the name %j: %s", (host, ours) => {
    expect(openGate().admit("GET", "/health", { host })).toBe(ours ? "anybody" : "421 HOST_REFUSED");
  });

  it("goes by any address, but by no other name, where it listens on all interfaces", () => {
    const { admit } = openGate({ anyAddress: true });
    expect(admit("GET", "/health", { host: "10.0.0.7:4123" })).toBe("anybody");
    expect(admit("GET", "/health", { host: "[fe80::1]" })).toBe("anybody");
    expect(admit("GET", "/health", { host: "evil.org" })).toBe("421 HOST_REFUSED");
    expect(admit("GET", "/health", { host: "10.0.0.7.8" })).toBe("421 HOST_REFUSED");
    expect(openGate({ anyAddress: false }).admit("GET", "/health", { host: "10.0.0.7" })).toBe(
      "421 HOST_REFUSED",
    );
  });

  it.each([
    [{ origin: own }, true],
    [{ origin: "https://localhost:4123" }, true],
    [{ origin: "http://127.0.0.1:4123" }, true],
    [{ origin: "http://[::1]:4123" }, true],
    [{ origin: "http://localhost:4124" }, false],
    [{ origin: "https://127.0.0.1:4123" }, false],
    [{ origin: "http://evil.org:4123" }, false],
    [{ origin: "null" }, false],
    [{ "sec-fetch-site": "same-origin" }, true],
    [{ "sec-fetch-site": "none" }, true],
    [{ "sec-fetch-site": "cross-site" }, false],
    [{ "sec-fetch-site": "same-site" }, false],
    [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, true],
    [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" }, true],
    [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }, false],
    [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", origin: "null" }, false],
  ])("takes a request of %j: %s", (headers, taken) => {
    const expected = taken ? "token" : "403 ORIGIN_REFUSED";
    expect(openGate().admit("GET", "/api/tools", { ...headers, ...bearer(token) })).toBe(expected);
  });

  it("refuses a deciding header that comes twice, however it is written, and no other", () => {
    const { gate } = openGate();
    const visit = (...rawHeaders: string[]): GateRequest => ({
      method: "GET",
      path: "/health",
      query: new URLSearchParams(),
      headers: { host: "localhost" },
      rawHeaders: ["host", "localhost", ...rawHeaders],
      address: "1.2.3.4",
      connection: {},
    });
    expect(() => gate(visit("HOST", "other"))).toThrow(/host/);
    expect(() => gate(visit("Origin", own, "origin", own))).toThrow(/origin/);
    expect(gate(visit("accept", "a", "accept", "b", "origin", "host")).by).toBe("anybody");
    const others = ["authorization", "content-type", "sec-fetch-site", "sec-fetch-mode"];
    const ours = ["mcp-session-id", "mcp-protocol-version", pageHeader];
    for (const name of [...others, ...ours]) {
      expect(() => gate(visit(name, "a", "accept", "b", name.toUpperCase(), "c"))).toThrow(`header ${name}`);
    }
    expect(gate(visit(...others.flatMap((name) => [name, "x"]))).by).toBe("anybody");
  });
});

describe("the name of a cookie", () => {
  it("has the port that the browser sees, since cookies know no ports", () => {
    expect(cookieNameFor("localhost:8080", 4123)).toBe("tenon_8080");
    expect(cookieNameFor("localhost", 4123)).toBe("tenon_4123");
    expect(cookieNameFor(undefined, 4123)).toBe("tenon_4123");
  });

  it("is found among others, and any of several with that name will do", () => {
    const { admit, cookie } = openGate();
    expect(admit("GET", "/", { cookie: `a=1; tenon_4123=planted; ${cookie} ;b=2` })).toBe("browser");
    expect(admit("GET", "/", { cookie: cookie.replace("tenon_4123", "tenon_4124") })).toBe(
      "401 TOKEN_NEEDED",
    );
    expect(admit("GET", "/", { cookie: "tenon_4123" })).toBe("401 TOKEN_NEEDED");
  });
});
