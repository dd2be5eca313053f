import type { SeenFiles } from "../contract/ports/seen.js";
import type { CallSession } from "../contract/session.js";
import { budgetOf } from "./budget.js";
import type { AuthorisedCall } from "./authorise.js";
import { announceStart, execute } from "./execute.js";
import { statPath } from "./stat-path.js";
import type { KeptAnswer, ResultCache } from "./result-cache.js";

const maxKeyChars = 16_384;

/** Run the tool, or return the cached answer to the same call if what it read is unchanged. */
export function executeOrRecall(call: AuthorisedCall, cache: ResultCache): unknown {
  const { state } = call;
  const key = keyOf(call);
  // What is kept was read by the same session through the guard: the same file has the same content.
  const before = key === undefined ? undefined : versionOf(call, true);
  if (key === undefined || before === undefined) return execute(call);
  const known = cache.get(key, before.version);
  if (known !== undefined) return giveAgain(call, known);
  // Changed so recently that a second change could hide behind the same timestamp.
  if (before.changedAt > cache.wallTime() - racyMs) return execute(call);
  state.sightings = [];
  const store = (result: unknown): unknown => {
    // The same file as before, unless it changed while it was read.
    if (versionOf(call)?.version === before.version)
      storeAnswer(call, cache, { key, version: before.version, result });
    return result;
  };
  const running = execute(call);
  return running instanceof Promise ? running.then(store) : store(running);
}

/** Some file systems only have timestamps in seconds, and the clocks of servers differ a little. */
const racyMs = 2000;

interface Version {
  readonly version: string;
  /** When the latest of it changed, in Unix milliseconds. */
  readonly changedAt: number;
}

/** The version of everything that the call reads; `undefined` if that cannot be known. */
function versionOf(
  { entry, validated: { reads, locks, received } }: AuthorisedCall,
  isGlance = false,
): Version | undefined {
  if (reads.length === 0) return { version: "", changedAt: 0 };
  // The names under which the session knows the files that it has seen.
  let version = locks.flatMap(({ space, key }) => (space === "session" ? [] : [key])).join("\0");
  let changedAt = 0;
  for (const resource of reads) {
    if ("env" in resource) {
      const value = variableOf(received.state.session, resource.env);
      if (value === undefined) return undefined;
      version += `\0${resource.env}=${value}`;
    } else if ("path" in resource) {
      const stat = statPath(received.state, resource.path, isGlance);
      // The contents of a folder can change without changing the folder itself.
      if (stat === null || stat.type !== "file") return undefined;
      version += `\0${stat.identity}`;
      changedAt = Math.max(changedAt, stat.changed, stat.modified);
    } else if (entry.tool.cacheTtlMs === undefined) {
      return undefined;
    }
  }
  return { version, changedAt };
}

/** A variable of the session as JSON; `undefined` if it may not be read. */
function variableOf({ env }: CallSession, key: string): string | undefined {
  try {
    return JSON.stringify(env.get(key));
  } catch {
    return undefined;
  }
}

/** One per session, task and budget: a tool may read all of them, and say less with a smaller budget. */
function keyOf({ state, settings, validated }: AuthorisedCall): string | undefined {
  if (validated.writes.length > 0) return undefined;
  const input = JSON.stringify(validated.plainInput) ?? "";
  if (input.length > maxKeyChars) return undefined;
  const { id, iterationId = "" } = state.session;
  const { tokens } = budgetOf(state);
  return [settings.cacheId, id, validated.received.taskId ?? "", iterationId, tokens, input].join("\0");
}

function storeAnswer(
  { state, entry }: AuthorisedCall,
  cache: ResultCache,
  { key, version, result }: { readonly key: string; readonly version: string; readonly result: unknown },
): void {
  const { sightings, tainted } = state;
  const copy = copyPlain(result);
  if (sightings === undefined || copy === undefined) return;
  // Its JSON and its rendering are kept with it once it is given again.
  let bytes = copy.bytes * 3 + key.length * 2;
  for (const { sighting } of sightings) for (const line of sighting.lines) bytes += 16 + line.length * 2;
  cache.set(
    key,
    { version, result: copy.value, sightings, tainted },
    { bytes, ttlMs: entry.tool.cacheTtlMs },
  );
}

/** Count it as a quick call, and note in the session what the first call showed. */
function giveAgain(call: AuthorisedCall, known: KeptAnswer): unknown {
  const { state, settings } = call;
  if (state.aborted !== undefined) throw state.aborted;
  state.delayed = true; // so that the clock is read again
  announceStart(call);
  showAgain(state.session.seen, known);
  if (known.tainted) state.tainted = true;
  state.note({ cached: true });
  state.executionEnded = state.parts.clock.monotonic();
  settings.meter.ended(state.executionEnded - state.executionStarted, undefined, state.executionEnded);
  const result = copyPlain(known.result)?.value;
  known.text ??= JSON.stringify(known.result);
  state.recalled = { answer: known, result };
  return result;
}

/** Note in the session what the first call showed, unless it still knows all of it. */
function showAgain(seen: SeenFiles, known: KeptAnswer): void {
  if (known.seenVersion !== undefined && known.seenVersion === seen.version) return;
  for (const { path, sighting } of known.sightings) {
    const file = seen.get(path);
    const same = file?.identity === sighting.identity && file.encoding === sighting.encoding;
    if (!same || !file.complete) seen.note(path, sighting);
  }
  known.seenVersion = seen.version;
}

/** A copy of plain data, and about how much memory it takes. */
interface PlainCopy {
  readonly value: unknown;
  readonly bytes: number;
}

const maxDepth = 200;

/** Copy plain data; strings are shared, since they cannot change. `undefined` for anything else. */
function copyPlain(value: unknown): PlainCopy | undefined {
  const walk = { bytes: 0, plain: true };
  const copy = copyValue(value, walk, 0);
  return walk.plain ? { value: copy, bytes: walk.bytes } : undefined;
}

interface Walk {
  bytes: number;
  plain: boolean;
}

function copyValue(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === "string") {
    walk.bytes += 16 + value.length * 2;
    return value;
  }
  walk.bytes += 8;
  if (value === null || typeof value !== "object") {
    if (typeof value === "function" || typeof value === "symbol") walk.plain = false;
    return value;
  }
  if (depth > maxDepth || !walk.plain) {
    walk.plain = false;
    return undefined;
  }
  walk.bytes += 48;
  if (Array.isArray(value)) return value.map((item) => copyValue(item, walk, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) walk.plain = false;
  const copy = (prototype === null ? Object.create(null) : {}) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) {
    walk.bytes += key.length;
    if (key === "__proto__") walk.plain = false;
    else copy[key] = copyValue(item, walk, depth + 1);
  }
  return copy;
}
