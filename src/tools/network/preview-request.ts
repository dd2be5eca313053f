import type { ToolPreview } from "../../contract/tool.js";
import { shownUrl } from "./request-url.js";

export interface PreviewedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** The preview for a person. Header values may be secrets, so only the names are shown. */
export function previewRequest({ url, method, headers = {}, body }: PreviewedRequest): ToolPreview {
  const address = shownUrl(url);
  const names = Object.keys(headers);
  const size = body === undefined ? "" : ` with ${Buffer.byteLength(body)} bytes`;
  return {
    summary: `${method} ${address}${size}`,
    address,
    details: {
      method,
      ...(names.length > 0 && { headers: names }),
      ...(body !== undefined && {
        body: body.length > MAX_SHOWN_CHARS ? `${body.slice(0, MAX_SHOWN_CHARS)}…` : body,
      }),
    },
  };
}

const MAX_SHOWN_CHARS = 2000;
