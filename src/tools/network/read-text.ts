import { attempt } from "../../contract/errno.js";

export interface ReadBody {
  readonly text: string;
  readonly binary: boolean;
}

export interface BodySource {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Whether the last character may be incomplete. */
  readonly truncated: boolean;
}

/** Decode a body by its byte order mark, the charset of its type, or a declaration in the text. */
export function readText(source: BodySource): ReadBody {
  const { body, truncated } = source;
  const charset = charsetOf(source);
  if (charset === undefined) return { text: toBase64(body), binary: true };
  if (charset !== "") return { text: decode(body, charset, truncated), binary: false };
  try {
    return {
      text: new TextDecoder("utf-8", { fatal: true }).decode(body, { stream: truncated }),
      binary: false,
    };
  } catch {
    // The fallback encoding of browsers.
    return { text: decode(body, "windows-1252", truncated), binary: false };
  }
}

/** The type alone, in lower case: "text/html". */
export function mediaType(contentType: string): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** The encoding; `""` if none is declared, `undefined` if the body is not text. */
function charsetOf({ body, contentType, truncated }: BodySource): string | undefined {
  const marked = byteOrderMark(body);
  if (marked !== undefined) return marked;
  const declared = knownLabel(/;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]);
  const type = mediaType(contentType);
  if (!isTextual(type)) return isOpaque(type) && looksLikeText(body, truncated) ? "" : undefined;
  if (declared !== undefined) return declared;
  if (body.subarray(0, SNIFF_BYTES).includes(0)) return undefined;
  return knownLabel(declaration(body, type)) ?? "";
}

const SNIFF_BYTES = 1024;

function byteOrderMark(body: Uint8Array): string | undefined {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}

function knownLabel(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  return attempt(() => new TextDecoder(label).encoding);
}

function isTextual(type: string): boolean {
  if (
    type.startsWith("text/") ||
    /[+/](json|xml|yaml|javascript|ecmascript|x-javascript|toml|sql|graphql|ndjson|csv)$/.test(type)
  ) {
    return true;
  }
  return textual.has(type);
}

const textual: ReadonlySet<string> = new Set([
  "application/x-www-form-urlencoded",
  "application/x-ndjson",
  "application/x-yaml",
  "application/x-sh",
  "application/x-httpd-php",
  "application/rtf",
  "application/manifest+json",
  "application/vnd.apple.mpegurl",
]);

/** Whether the type does not say anything, so that the bytes decide. */
function isOpaque(type: string): boolean {
  return (
    type === "" ||
    type === "application/octet-stream" ||
    type === "binary/octet-stream" ||
    type === "application/unknown"
  );
}

function looksLikeText(body: Uint8Array, truncated: boolean): boolean {
  if (body.subarray(0, SNIFF_BYTES).includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(body, { stream: truncated });
    return true;
  } catch {
    return false;
  }
}

/** The charset that the text declares: `<meta charset>`, or the XML declaration. */
function declaration(body: Uint8Array, type: string): string | undefined {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, SNIFF_BYTES)).toString(
    "latin1",
  );
  const xml = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([^"']+)["']/i.exec(head)?.[1];
  if (xml !== undefined) return xml;
  if (!type.includes("html")) return undefined;
  const label = /<meta[^>]{0,500}charset\s*=\s*["']?([^\s"'/>]+)/i.exec(head)?.[1];
  // The declaration could be read as single bytes, so the text cannot be UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function decode(body: Uint8Array, charset: string, truncated: boolean): string {
  return new TextDecoder(charset).decode(body, { stream: truncated });
}

function toBase64(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString("base64");
}
