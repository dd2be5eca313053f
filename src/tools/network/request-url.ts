import { ToolValidationError } from "../../contract/errors.js";
import type { Resources } from "../../contract/resources.js";

/** Parse a URL, or throw an error that says how to write one. */
export function requireUrl(text: string): URL {
  const url = parseUrl(text);
  if (url !== undefined) return url;
  throw new ToolValidationError(`"${text.slice(0, 200)}" is not a valid URL.`, {
    code: "VALUE_INVALID",
    hint: 'Pass the full URL with its scheme, such as "https://example.com/page".',
    details: { argument: "url" },
  });
}

/** The URL without credentials, for display. */
export function shownUrl(text: string): string {
  const url = parseUrl(text);
  if (url === undefined) return text;
  url.username = "";
  url.password = "";
  return url.href;
}

/** The host of a URL as a resource; none for an invalid URL. */
export function hostResources(text: string, access: "reads" | "writes"): Resources {
  const url = parseUrl(text);
  return url === undefined || url.host === "" ? {} : { [access]: [{ host: hostOf(url) }] };
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
}

function hostOf(url: URL): string {
  const name = url.hostname.replace(/\.+$/, "");
  return url.port === "" ? name : `${name}:${url.port}`;
}
