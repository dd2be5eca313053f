import { createHash } from "node:crypto";

const maxChars = 64;

/**
 * A name that every model provider takes: letters, digits, `_` and `-`, at most 64 of them, a letter or `_` first.
 * What had to be changed, or is taken already, gets a hash of the true name, so that no two names meet.
 */
export function toLegalName(name: string, taken: { has(name: string): boolean }): string {
  const plain = name.replaceAll(":", "__").replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const started = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
  const lossless = started === name || started === name.replaceAll(":", "__");
  if (lossless && started.length <= maxChars && !taken.has(started)) return started;
  for (let attempt = 0; ; attempt++) {
    const salted = attempt === 0 ? name : `${attempt}\n${name}`;
    const hash = createHash("sha256").update(salted).digest("hex").slice(0, 8);
    const legal = `${started.slice(0, maxChars - hash.length - 1)}_${hash}`;
    if (!taken.has(legal)) return legal;
  }
}
