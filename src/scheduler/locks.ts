import { ToolInternalError } from "../contract/errors.js";
import type { Resources } from "../contract/resources.js";

/** One thing that a call holds while it runs; the key of a path is canonical, absolute and parted by "/". */
export interface Lock {
  readonly space: "path" | "env" | "host" | "lock";
  readonly key: string;
  readonly write: boolean;
}

const none: readonly Lock[] = Object.freeze([]);

/** Turn the resources that a call names into the locks that order it among others. */
export function toLocks(
  resources: Resources | undefined,
  canonicalPath: (path: string) => string,
): readonly Lock[] {
  if (resources === undefined || resources === null) return none;
  const writes = toList(resources.writes, "writes");
  const reads = toList(resources.reads, "reads");
  if (writes.length === 0 && reads.length === 0) return none;
  const locks = new Map<string, Lock>();
  // Writes first: what a call writes it may read as well.
  addLocks(locks, writes, { write: true, canonicalPath });
  addLocks(locks, reads, { write: false, canonicalPath });
  return [...locks.values()];
}

// Resources come from a tool's own code, which may be plain JavaScript.
function toList(list: unknown, field: string): readonly unknown[] {
  if (list === undefined || list === null) return none;
  if (Array.isArray(list)) return list;
  throw malformed(`"${field}" is no list`);
}

interface Conversion {
  readonly write: boolean;
  readonly canonicalPath: (path: string) => string;
}

function addLocks(locks: Map<string, Lock>, list: readonly unknown[], conversion: Conversion): void {
  for (const resource of list) {
    if (typeof resource !== "object" || resource === null) throw malformed("an entry is no object");
    let known = false;
    for (const [kind, space] of spaces) {
      const name = (resource as Readonly<Record<string, unknown>>)[kind];
      if (name === undefined) continue;
      if (typeof name !== "string") throw malformed(`the "${kind}" of an entry is no string`);
      const key = toKey(space, name, conversion.canonicalPath);
      const id = `${space}:${key}`;
      if (!locks.has(id)) locks.set(id, { space, key, write: conversion.write });
      known = true;
    }
    if (!known) throw malformed("an entry has none of path, tree, env, host and lock");
  }
}

// A path and a tree lock alike, because touching a directory conflicts with a write of anything below it.
const spaces: readonly (readonly [kind: string, space: Lock["space"]])[] = [
  ["path", "path"],
  ["tree", "path"],
  ["env", "env"],
  ["host", "host"],
  ["lock", "lock"],
];

function toKey(space: Lock["space"], name: string, canonicalPath: (path: string) => string): string {
  if (space === "path") return toPathKey(canonicalPath(name));
  if (space === "host") return name.toLowerCase().replace(/\.$/, "");
  return name;
}

// A backslash parts names in a Windows path, but belongs to a name where paths begin with a slash.
function toPathKey(path: string): string {
  if (path.startsWith("/") && !path.endsWith("/") && !path.includes("//")) return path;
  const parted = path.startsWith("/") ? path : path.replaceAll("\\", "/");
  const names = parted.split("/").filter((name) => name !== "");
  return parted.startsWith("/") || names.length === 0 ? `/${names.join("/")}` : names.join("/");
}

function malformed(what: string): ToolInternalError {
  return new ToolInternalError(`The tool named what the call touches in a malformed way: ${what}.`, {
    hint: "Return { reads, writes } from resources(), each a list of { path }, { tree }, { env }, { host } or { lock }.",
  });
}
