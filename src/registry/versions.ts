import { createRequire } from "node:module";
import type semverModule from "semver";
import { once } from "../contract/once.js";

/** The version of a tool that names none. */
export const defaultVersion = "1.0.0";

// The grammar of semver.org. Most registries hold one version a tool and never need the library.
const number = "(?:0|[1-9]\\d{0,14})";
const prerelease = `(?:${number}|\\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const grammar = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-${prerelease}(?:\\.${prerelease})*)?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);
const longest = 256;

/** Whether the text is a full semantic version. */
export function isVersion(text: unknown): text is string {
  return typeof text === "string" && text.length <= longest && grammar.test(text);
}

/** Whether the text is valid after `@`. */
export function isRange(text: string): boolean {
  if (text.length > longest) return false;
  return text === "latest" || isVersion(text) || semver().validRange(text) !== null;
}

/** The order in which versions are the default: stable before prerelease, then newest first. */
export function byPreference(a: string, b: string): number {
  const early = Number(isPrerelease(a)) - Number(isPrerelease(b));
  return early === 0 ? semver().rcompare(a, b) : early;
}

/** Two versions that differ in build metadata only are the same. */
export function sameVersion(a: string, b: string): boolean {
  return withoutBuild(a) === withoutBuild(b);
}

/** Whether a version is in the range; an exact version matches itself, prereleases included. */
export function inRange(version: string, range: string): boolean {
  if (sameVersion(version, range)) return true;
  return range.length <= longest && semver().satisfies(version, range);
}

function isPrerelease(version: string): boolean {
  return withoutBuild(version).includes("-");
}

function withoutBuild(version: string): string {
  const plus = version.indexOf("+");
  return plus < 0 ? version : version.slice(0, plus);
}

const semver = once(() => createRequire(import.meta.url)("semver") as typeof semverModule);
