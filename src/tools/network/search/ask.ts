import { ToolExecutionError, ToolUnavailableError } from "../../../contract/errors.js";
import type { HttpRequest, HttpResponse } from "../../../contract/ports/http.js";
import type { SearchQuery } from "./provider.js";

/** The provider that is target, and the query. */
export interface ProviderRequest {
  readonly name: string;
  readonly query: SearchQuery;
}

/** Send a request to a provider and parse the response as JSON. Errors contain neither the key nor the URL. */
export async function askJson(request: HttpRequest, target: ProviderRequest): Promise<unknown> {
  const text = await askText(request, target);
  try {
    return JSON.parse(text);
  } catch {
    throw unexpectedResponse(target.name);
  }
}

/** Send a request to a provider and read the response as text. */
export async function askText(request: HttpRequest, { name, query }: ProviderRequest): Promise<string> {
  const { http, signal } = query;
  const response = await http.request({ ...request, maxBytes: MAX_BYTES, signal });
  if (response.status !== 200) throw statusError(response, { name, query });
  return new TextDecoder().decode(response.body);
}

const MAX_BYTES = 4 * 1024 * 1024;

/** The URL of a provider: the usual one, or the configured one, which may omit the path. */
export function endpoint(usual: string, configured: string | undefined): URL {
  const url = new URL(configured ?? usual);
  if (url.pathname === "/") url.pathname = new URL(usual).pathname;
  return url;
}

/** The API key of a provider that requires one. */
export function requireKey({ name, query }: ProviderRequest): string {
  return requireSetting("apiKey", { name, query });
}

export function requireSetting(
  setting: "apiKey" | "engineId" | "url",
  { name, query }: ProviderRequest,
): string {
  const value = query.settings[setting];
  if (value !== undefined && value !== "") return value;
  throw new ToolUnavailableError(
    `web_search with ${name} requires the setting "${setting}", which is not set.`,
    {
      code: "SERVICE_UNAVAILABLE",
      retryable: false,
      hint: `Set tools.webSearch.${setting} in the configuration, or choose another tools.webSearch.provider.`,
      details: { provider: name, setting },
    },
  );
}

/** The status was 200, but the body is not what the provider's API promises. */
export function unexpectedResponse(name: string): ToolExecutionError {
  return new ToolExecutionError(`${name} returned an unexpected response.`, {
    code: "NETWORK_FAILED",
    hint: "Check tools.webSearch.url, or try again later.",
    details: { provider: name },
  });
}

function statusError({ status, body }: HttpResponse, { name, query }: ProviderRequest): Error {
  const reason = errorMessageIn(body, query.settings.apiKey);
  const details = { provider: name, status };
  if (status === 401 || status === 403) {
    return new ToolUnavailableError(`${name} refused the search (status ${status})${reason}.`, {
      code: "SERVICE_UNAVAILABLE",
      retryable: false,
      hint: "Check tools.webSearch.apiKey and the permissions of the key.",
      details,
    });
  }
  if (status === 429 || status === 432 || status === 433) {
    return new ToolUnavailableError(
      `${name} rejected the search because of its rate limit (status ${status})${reason}.`,
      {
        code: "SERVICE_UNAVAILABLE",
        hint: "Wait before the next search. The limit applies to the API key.",
        details,
      },
    );
  }
  return new ToolExecutionError(`${name} failed with status ${status}${reason}.`, {
    code: "NETWORK_FAILED",
    retryable: status >= 500,
    hint: status >= 500 ? "Try again later." : "Check the query and the settings under tools.webSearch.",
    details,
  });
}

/** The provider's error message, shortened, with the key removed. */
function errorMessageIn(body: Uint8Array, key: string | undefined): string {
  const text = new TextDecoder().decode(body.subarray(0, 4096));
  const safe = key === undefined || key === "" ? text : text.replaceAll(key, "…");
  const message = /"(?:message|error|detail)"\s*:\s*"([^"\\]{1,200})"/.exec(safe)?.[1];
  return message === undefined ? "" : `: ${message.replace(/\.$/, "")}`;
}
