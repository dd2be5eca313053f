import { ToolInternalError } from "../contract/errors.js";
import type { Resources } from "../contract/resources.js";

/** One thing that a call holds while it runs; the key of a path is canonical, absolute and parted by "/". */
export interface Lock {
  /** `session`: all files, as one session sees them; the key is the session's id. */
  readonly space: "path" | "session" | "env" | "host" | "lock";
  readonly key: string;
  readonly write: boolean;
  /** Only a part of it is touched: conflicts with those who take the whole, not with other parts. */
  readonly partial?: true;
}

/** What locks are named after. */
export interface LockNames {
  readonly canonicalPath: (path: string) => string;
  readonly sessionId: string;
}

const none: readonly Lock[] = Object.freeze([]);

/** Turn the resources that a call names into the locks that order it among others. */
export function toLocks(resources: Resources | undefined, names: LockNames): readonly Lock[] {
  if (resources === undefined || resources === null) return none;
  const writes = toList(resources.writes, "writes");
  const reads = toList(resources.reads, "reads");
  if (writes.length === 0 && reads.length === 0) return none;
  const locks = new Map<string, Lock>();
  // Writes first: what a call writes it may read as well.
  addLocks(locks, writes, { write: true, ...names });
  addLocks(locks, reads, { write: false, ...names });
  return [...locks.values()];
}

// Resources come from a tool's own code, which may be plain JavaScript.
function toList(list: unknown, field: string): readonly unknown[] {
  if (list === undefined || list === null) return none;
  if (Array.isArray(list)) return list;
  throw malformed(`"${field}" is not an array`);
}

interface Conversion extends LockNames {
  readonly write: boolean;
}

function addLocks(locks: Map<string, Lock>, list: readonly unknown[], conversion: Conversion): void {
  for (const resource of list) {
    if (typeof resource !== "object" || resource === null) throw malformed("an entry is not an object");
    let known = false;
    for (const [kind, space] of spaces) {
      const name = (resource as Readonly<Record<string, unknown>>)[kind];
      if (name === undefined) continue;
      if (typeof name !== "string") throw malformed(`the "${kind}" of an entry is not a string`);
      known = true;
      if (space === "path" && "scope" in resource && resource.scope === "session") {
        addLock(locks, { space: "session", key: conversion.sessionId, write: conversion.write });
        continue;
      }
      addLock(locks, { space, key: toKey(space, name, conversion.canonicalPath), write: conversion.write });
      if (space !== "path") continue;
      addLock(locks, { space: "session", key: conversion.sessionId, write: conversion.write, partial: true });
    }
    if (!known) throw malformed("an entry has none of path, tree, env, host and lock");
  }
}

/** What a call writes it may read as well; who takes the whole has its parts. */
function addLock(locks: Map<string, Lock>, lock: Lock): void {
  const id = `${lock.space}:${lock.key}`;
  const known = locks.get(id);
  if (known === undefined || (known.partial === true && lock.partial === undefined)) {
    locks.set(id, { ...lock, write: lock.write || known?.write === true });
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
