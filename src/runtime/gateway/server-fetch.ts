import { ToolPermissionError } from "../../contract/errors.js";
import type { Http } from "../../contract/ports/http.js";

/**
 * Requests to one MCP server. Its own host was configured by the user; any other host it refers to, for a
 * login for example, goes through the egress guard like any other address. So do redirects.
 */
export function createServerFetch(serverUrl: string, guarded: () => Http): typeof fetch {
  const { hostname } = new URL(serverUrl);
  const send = async (url: URL, init: RequestInit | undefined, hops: number): Promise<Response> => {
    if (url.hostname !== hostname) return sendGuarded(guarded(), url, init);
    const response = await fetch(url, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return response;
    const next = new URL(location, url);
    // Except for 307 and 308 a POST would lose its body, and another origin would see its headers.
    const keeps = response.status >= 307 || (init?.method ?? "GET") === "GET";
    if (next.origin !== url.origin || !keeps || hops >= 5) {
      throw new ToolPermissionError(`the server redirects to ${next.origin}, which is not followed`, {
        code: "NETWORK_REFUSED",
        hint: "Configure the address that it redirects to.",
      });
    }
    await response.body?.cancel();
    return send(next, init, hops + 1);
  };
  return (input, init) => send(new URL(input instanceof Request ? input.url : input), init, 0);
}

async function sendGuarded(http: Http, url: URL, init: RequestInit | undefined): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init?.headers));
  const { method, body, signal } = init ?? {};
  const answer = await http.request({
    url: url.href,
    headers,
    ...(method !== undefined && { method }),
    ...(body !== undefined && body !== null && { body: await new Response(body).text() }),
    ...(signal !== undefined && signal !== null && { signal }),
  });
  const empty = [101, 204, 205, 304].includes(answer.status);
  return new Response(empty ? null : (answer.body as Uint8Array<ArrayBuffer>), {
    status: answer.status,
    headers: plainHeaders(answer.headers),
  });
}

/** The body is already decoded. */
function plainHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const left = { ...headers };
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) delete left[name];
  return left;
}
