import { createHash } from "node:crypto";
import type { ServerSettings } from "./gateway-types.js";

/** A digest of where a server is reached: another target is another server. */
export function targetDigest({ spec }: ServerSettings): string {
  const target = spec.kind === "program" ? [spec.command, spec.args ?? []] : [spec.url];
  return createHash("sha256").update(JSON.stringify(target)).digest("hex");
}

/** Where a server is reached, for people. */
export function describeTarget({ spec }: ServerSettings): string {
  if (spec.kind === "program") return [spec.command, ...(spec.args ?? [])].join(" ");
  const url = new URL(spec.url);
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
}

/** Whether the person wants a tool of the server at all. */
export function isWanted(
  tool: string,
  { include, exclude = [] }: ServerSettings,
  matches: (glob: string, name: string) => boolean,
): boolean {
  const included = include === undefined || include.some((glob) => matches(glob, tool));
  return included && !exclude.some((glob) => matches(glob, tool));
}
