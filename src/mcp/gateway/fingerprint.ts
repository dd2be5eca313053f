import { createHash } from "node:crypto";
import type { UpstreamTool } from "../../contract/ports/upstream.js";
import { loadDiff } from "../../text/libraries.js";

/** A digest of a definition; equal definitions have equal ones, in whatever order their keys are. */
export function fingerprint(tool: UpstreamTool): string {
  return createHash("sha256")
    .update(canonical(comparable(tool)))
    .digest("hex");
}

/** From the accepted definition to the new one, as a unified diff. */
export function diffDefinitions(accepted: UpstreamTool, offered: UpstreamTool): string {
  const { createTwoFilesPatch } = loadDiff();
  const [before, after] = [accepted, offered].map((tool) => `${pretty(comparable(tool))}\n`);
  return createTwoFilesPatch("accepted", "offered", before ?? "", after ?? "", undefined, undefined, {
    context: 3,
  });
}

function comparable({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: UpstreamTool): unknown {
  return { name, title, description, inputSchema, outputSchema, annotations };
}

function canonical(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

/** Invisible characters show in a diff by their numbers. */
function pretty(value: unknown): string {
  const text = JSON.stringify(sorted(value), undefined, 2) ?? "null";
  return text.replace(/[^\n\u0020-\u007e]/gu, (found) =>
    /[\p{L}\p{N}\p{P}\p{S}]/u.test(found) ? found : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(
    entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, item]) => [key, sorted(item)]),
  );
}
