import { ToolUnavailableError } from "../../contract/errors.js";
import type { UpstreamCall } from "../../contract/ports/upstream.js";
import type { AnswerServer } from "./server-connection.js";

/** An address that a person has to open before the server answers. */
export interface RequiredUrl {
  readonly id: string;
  readonly url: string;
  readonly message: string;
}

/** The error by which a server of 2025-11-25 says so. */
const urlElicitationRequired = -32042;
const maxUrls = 10;

/** Where a server sends the person first; nothing where the error is another one. */
export function requiredUrlsOf(error: unknown): readonly RequiredUrl[] {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== urlElicitationRequired || !Array.isArray(data?.elicitations)) return [];
  return data.elicitations.slice(0, maxUrls).flatMap((item: unknown) => readRequiredUrl(item) ?? []);
}

/** Send the person there; whether they agreed to all of it. */
export async function askToOpenUrls(
  visits: readonly RequiredUrl[],
  answer: AnswerServer,
  call: UpstreamCall,
): Promise<boolean> {
  for (const { id, url, message } of visits) {
    const params = { mode: "url", message, url, elicitationId: id };
    const { action } = await answer({ method: "elicitation/create", params, signal: call.signal }, [call]);
    if (action !== "accept") return false;
  }
  return true;
}

/** The refusal that names the addresses. */
export function urlsNotOpened(visits: readonly RequiredUrl[], cause: unknown): ToolUnavailableError {
  const places = visits.map(({ url, message }) => (message === "" ? url : `${message} ${url}`)).join("; ");
  return new ToolUnavailableError(`The MCP server requires a person to open a URL first: ${places}`, {
    code: "VISIT_NEEDED",
    hint: "Give the URL to the person, and call again when they are done.",
    details: { visits: visits.map(({ url, message }) => ({ url, message })) },
    cause,
  });
}

/** Only addresses of the web, written so that nothing in them is invisible. */
function readRequiredUrl(item: unknown): RequiredUrl | undefined {
  const { url, message, elicitationId } = (item ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  return {
    id: typeof elicitationId === "string" ? elicitationId : href,
    url: href,
    message: typeof message === "string" ? message.slice(0, 1000).toWellFormed() : "",
  };
}
