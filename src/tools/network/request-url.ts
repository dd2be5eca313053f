import { ToolValidationError } from "../../contract/errors.js";
import type { Resources } from "../../contract/resources.js";

/** The URL that a call names, or an error that says how to write one. */
export function requireUrl(text: string): URL {
  const url = parseUrl(text);
  if (url !== undefined) return url;
  throw new ToolValidationError(`"${text.slice(0, 200)}" is not a URL.`, {
    code: "VALUE_INVALID",
    hint: 'Write it in full, with its scheme: "https://example.com/page".',
    details: { argument: "url" },
  });
}

/** The URL without credentials, to be shown. */
export function shownUrl(text: string): string {
  const url = parseUrl(text);
  if (url === undefined) return text;
  url.username = "";
  url.password = "";
  return url.href;
}

/** The host that a call reaches, read or written; a URL that is none reaches nothing. */
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
