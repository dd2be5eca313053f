import { ToolExecutionError, ToolUnavailableError } from "../../../contract/errors.js";
import type { HttpRequest, HttpResponse } from "../../../contract/ports/http.js";
import type { SearchQuery } from "./provider.js";

/** A provider's name for people, and where it answers. */
export interface Asked {
  readonly name: string;
  readonly query: SearchQuery;
}

/** Ask a provider and read its answer as JSON; neither key nor address gets into an error. */
export async function askJson(request: HttpRequest, asked: Asked): Promise<unknown> {
  const text = await askText(request, asked);
  try {
    return JSON.parse(text);
  } catch {
    throw notUnderstood(asked.name);
  }
}

/** Ask a provider and read its answer as text. */
export async function askText(request: HttpRequest, { name, query }: Asked): Promise<string> {
  const { http, signal } = query;
  const response = await http.request({ ...request, maxBytes: MAX_BYTES, signal });
  if (response.status !== 200) throw badAnswer(response, { name, query });
  return new TextDecoder().decode(response.body);
}

const MAX_BYTES = 4 * 1024 * 1024;

/** Where a provider answers: its own address, or the configured one, which may leave out the path. */
export function endpoint(usual: string, configured: string | undefined): URL {
  const url = new URL(configured ?? usual);
  if (url.pathname === "/") url.pathname = new URL(usual).pathname;
  return url;
}

/** The key of a provider that cannot do without one. */
export function requireKey({ name, query }: Asked): string {
  return requireSetting("apiKey", { name, query });
}

/** A setting of a provider that cannot do without it. */
export function requireSetting(setting: "apiKey" | "engineId" | "url", { name, query }: Asked): string {
  const value = query.settings[setting];
  if (value !== undefined && value !== "") return value;
  throw new ToolUnavailableError(
    `web_search with ${name} needs the setting "${setting}", which is not set.`,
    {
      code: "SERVICE_UNAVAILABLE",
      retryable: false,
      hint: `Set tools.webSearch.${setting} in the configuration, or choose another tools.webSearch.provider.`,
      details: { provider: name, setting },
    },
  );
}

/** The answer was 200, but not what the provider's interface promises. */
export function notUnderstood(name: string): ToolExecutionError {
  return new ToolExecutionError(`${name} answered with something that is no search result.`, {
    code: "NETWORK_FAILED",
    hint: "Check tools.webSearch.url, or try again later.",
    details: { provider: name },
  });
}

function badAnswer({ status, body }: HttpResponse, { name, query }: Asked): Error {
  const said = says(body, query.settings.apiKey);
  const details = { provider: name, status };
  if (status === 401 || status === 403) {
    return new ToolUnavailableError(`${name} refused the search (status ${status})${said}.`, {
      code: "SERVICE_UNAVAILABLE",
      retryable: false,
      hint: "Check tools.webSearch.apiKey and what the key is allowed to do.",
      details,
    });
  }
  if (status === 429 || status === 432 || status === 433) {
    return new ToolUnavailableError(`${name} takes no more searches for now (status ${status})${said}.`, {
      code: "SERVICE_UNAVAILABLE",
      hint: "Wait before the next search; the limit belongs to the key.",
      details,
    });
  }
  return new ToolExecutionError(`${name} failed with status ${status}${said}.`, {
    code: "NETWORK_FAILED",
    retryable: status >= 500,
    hint: status >= 500 ? "Try again later." : "Check the query and the settings under tools.webSearch.",
    details,
  });
}

/** The provider's own words, one short line of them, the key blotted out. */
function says(body: Uint8Array, key: string | undefined): string {
  const text = new TextDecoder().decode(body.subarray(0, 4096));
  const safe = key === undefined || key === "" ? text : text.replaceAll(key, "…");
  const message = /"(?:message|error|detail)"\s*:\s*"([^"\\]{1,200})"/.exec(safe)?.[1];
  return message === undefined ? "" : `: ${message.replace(/\.$/, "")}`;
}
