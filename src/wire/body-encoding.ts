/** Headers that say how a body is written. */
export interface BodyHeaders {
  readonly "content-encoding"?: string | undefined;
  readonly "content-type"?: string | undefined;
}

/**
 * Why a JSON body cannot be read as it comes; `undefined` where it is plain UTF-8. What is compressed or in another
 * character set would be taken for something else than its sender meant.
 */
export function faultOfEncoding(headers: BodyHeaders): string | undefined {
  const { "content-encoding": encoding = "", "content-type": type = "" } = headers;
  if (encoding !== "" && encoding.trim().toLowerCase() !== "identity")
    return `Content-Encoding ${JSON.stringify(shown(encoding))} is not supported. Send the body as it is.`;
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1];
  if (charset === undefined || utf8Names.has(charset.toLowerCase())) return undefined;
  return `The character set ${JSON.stringify(shown(charset))} is not supported. Send the body in UTF-8.`;
}

/** ASCII is a part of it. */
const utf8Names: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"]);

function shown(value: string): string {
  return value.slice(0, 40);
}
