import { readPageSecret } from "./page-secret.js";
import { serverClock } from "./server-clock.js";
import type { ApiError } from "./types.js";

/** A request that failed, with what the server says about it. */
export class ApiFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, error: ApiError["error"]) {
    super(error.message);
    this.name = "ApiFault";
    this.status = status;
    this.code = error.code;
    this.hint = error.hint;
  }
}

/** Read something from the server. */
export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send<T>(path, signal === undefined ? {} : { signal });
}

/** Change something; the header shows that this page asks, since no other site can add it. */
export function change<T>(
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  return send<T>(path, {
    method,
    headers: { "Content-Type": "application/json", "X-Tenon-Console": "1" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A path with those of the parameters that are given. */
export function withQuery(
  path: string,
  params: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()}`;
}

/** Fetch something and save it as a file. */
export async function saveFile(path: string, name: string, signal?: AbortSignal): Promise<void> {
  const response = await ask(path, signal === undefined ? {} : { signal });
  if (!response.ok) throw new ApiFault(response.status, errorOf(await response.text(), response));
  download(await response.blob(), name);
}

/** Hand a file to the person. */
export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Open an answer that goes on for as long as the page listens. */
export async function openStream(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const response = await ask(path, { signal, headers: { Accept: "text/event-stream" } });
  if (!response.ok) throw new ApiFault(response.status, errorOf(await response.text(), response));
  if (response.body === null) throw new ApiFault(0, { code: "UNREACHABLE", message: "The answer is empty." });
  return response.body;
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  const response = await ask(path, init);
  const text = await response.text();
  if (!response.ok) throw new ApiFault(response.status, errorOf(text, response));
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** Every request of the page: with its cookie, and the secret that no other port of the machine is sent. */
function ask(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  const secret = readPageSecret(window);
  if (secret !== undefined) headers.set("X-Tenon-Page", secret);
  const sentAt = Date.now();
  return fetch(path, { credentials: "same-origin", ...init, headers }).then(
    (response) => {
      serverClock.note(sentAt, Date.now(), response.headers.get("date"));
      return response;
    },
    (cause: unknown) => {
      if (init.signal?.aborted === true) throw cause;
      throw new ApiFault(0, { code: "UNREACHABLE", message: "The server cannot be reached." });
    },
  );
}

function errorOf(text: string, response: Response): ApiError["error"] {
  try {
    const parsed = JSON.parse(text) as Partial<ApiError>;
    if (typeof parsed.error?.message === "string") return parsed.error;
  } catch {
    // Not JSON: an answer of something in between.
  }
  return { code: `HTTP_${response.status}`, message: text.slice(0, 300) || response.statusText };
}
