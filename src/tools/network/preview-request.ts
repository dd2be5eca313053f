import type { ToolPreview } from "../../contract/tool.js";
import { shownUrl } from "./request-url.js";

export interface PreviewedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** What a person sees before data leaves; values of headers may be secrets, so only names are shown. */
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
      ...(body !== undefined && { body: body.length > SHOWN ? `${body.slice(0, SHOWN)}…` : body }),
    },
  };
}

const SHOWN = 2000;
