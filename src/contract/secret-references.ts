import type { UpstreamSpec } from "./ports/upstream.js";

/** How an MCP server's entry refers to a stored secret: `${secret:NAME}`. */
const reference = /\$\{secret:([A-Za-z_][A-Za-z0-9_]{0,63})\}/g;

/** What a secret may be called. */
export const secretName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** The names of the secrets that texts refer to, each once. */
export function secretsIn(texts: Iterable<string>): readonly string[] {
  const names = new Set<string>();
  for (const text of texts) for (const [, name = ""] of text.matchAll(reference)) names.add(name);
  return [...names];
}

/** The secrets that the variables or headers of an MCP server refer to. */
export function secretsOfServer(spec: UpstreamSpec): readonly string[] {
  return secretsIn(Object.values((spec.kind === "program" ? spec.env : spec.headers) ?? {}));
}

/** The text with its secrets; values are not expanded again. */
export function fillSecrets(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(reference, (whole, name: string) => values.get(name) ?? whole);
}
