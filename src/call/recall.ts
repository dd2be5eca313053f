import type { SeenFiles } from "../contract/ports/seen.js";
import { announce } from "./announce.js";
import { budgetOf } from "./budget.js";
import type { AuthorisedCall } from "./call.js";
import { copyPlain } from "./copy-plain.js";
import { execute } from "./execute.js";
import { lookAt } from "./look-at.js";
import type { KeptAnswer, ResultCache } from "./result-cache.js";

/**
 * Run the tool, or give its last answer to the same call again where it said that this is the same and what
 * it read is unchanged. It is looked at here, behind earlier writes and after the policy had its say.
 */
export function executeOrRecall(call: AuthorisedCall): unknown {
  const { cache } = call.parts;
  return cache !== undefined && call.settings.cacheId !== undefined ? recall(call, cache) : execute(call);
}

const longestKey = 16_384;

function recall(call: AuthorisedCall, cache: ResultCache): unknown {
  const key = keyOf(call);
  const before = key === undefined ? undefined : versionOf(call);
  if (key === undefined || before === undefined) return execute(call);
  const known = cache.get(key, before.version);
  if (known !== undefined) return giveAgain(call, known);
  call.sightings = [];
  const kept = (result: unknown): unknown => {
    const after = versionOf(call);
    // Changed while it was read, or so lately that a second change could hide behind the same time stamp.
    if (after?.version !== before.version || after.changedAt > cache.wallTime() - racyMs) return result;
    keep(call, cache, { key, version: after.version, result });
    return result;
  };
  const running = execute(call);
  return running instanceof Promise ? running.then(kept) : kept(running);
}

/** Some file systems stamp changes with whole seconds only, and clocks of servers differ a little. */
const racyMs = 2000;

interface Version {
  readonly version: string;
  /** When the latest of it changed, in Unix milliseconds. */
  readonly changedAt: number;
}

/** What the call reads, as it is now; `undefined` where that cannot be known. */
function versionOf(call: AuthorisedCall): Version | undefined {
  if (call.reads.length === 0) return { version: "", changedAt: 0 };
  // Under which names: what a session has seen is known by these.
  let version = call.locks.flatMap(({ space, key }) => (space === "session" ? [] : [key])).join("\0");
  let changedAt = 0;
  for (const resource of call.reads) {
    if ("env" in resource) {
      const value = valueOf(call, resource.env);
      if (value === undefined) return undefined;
      version += `\0${resource.env}=${value}`;
    } else if ("path" in resource) {
      const stat = lookAt(call, resource.path);
      // What a folder holds can change without a trace on the folder itself.
      if (stat === null || stat.type !== "file") return undefined;
      version += `\0${stat.identity}`;
      changedAt = Math.max(changedAt, stat.changed, stat.modified);
    } else if (call.entry.tool.cacheTtlMs === undefined) {
      return undefined;
    }
  }
  return { version, changedAt };
}

/** A variable of the session; `undefined` where it may not be seen. */
function valueOf(call: AuthorisedCall, key: string): string | undefined {
  try {
    return JSON.stringify(call.session.env.get(key));
  } catch {
    return undefined;
  }
}

/** Per session, task and budget: a tool may look at all of them, and say less where it has less room. */
function keyOf(call: AuthorisedCall): string | undefined {
  if (call.writes.length > 0) return undefined;
  const input = JSON.stringify(call.plainInput) ?? "";
  if (input.length > longestKey) return undefined;
  const { session, taskId = "", settings } = call;
  const { tokens } = budgetOf(call);
  return [settings.cacheId, session.id, taskId, session.iterationId ?? "", tokens, input].join("\0");
}

function keep(
  call: AuthorisedCall,
  cache: ResultCache,
  { key, version, result }: { readonly key: string; readonly version: string; readonly result: unknown },
): void {
  const sightings = call.sightings;
  const copy = copyPlain(result);
  if (sightings === undefined || copy === undefined) return;
  let bytes = copy.bytes + key.length * 2;
  for (const { sighting } of sightings) for (const line of sighting.lines) bytes += 16 + line.length * 2;
  const { cacheTtlMs: ttlMs } = call.entry.tool;
  cache.set(key, { version, result: copy.value, sightings, tainted: call.tainted }, { bytes, ttlMs });
}

/** Count it as a call that was quick, and let the session see what it saw the first time. */
function giveAgain(call: AuthorisedCall, known: KeptAnswer): unknown {
  const { result, tainted } = known;
  const { clock } = call.parts;
  if (call.aborted !== undefined) throw call.aborted;
  call.executionStarted = clock.monotonic();
  call.settings.meter.began(call.ticket?.waitedMs ?? 0, call.executionStarted);
  announce(call, "TOOL_CALL_STARTED", () => ({
    waitedMs: call.ticket?.waitedMs ?? 0,
    ...(call.decision !== undefined && { decision: call.decision }),
  }));
  showAgain(call.session.seen, known);
  if (tainted) call.tainted = true;
  call.note({ cached: true });
  call.executionEnded = clock.monotonic();
  call.settings.meter.ended(call.executionEnded - call.executionStarted, undefined, call.executionEnded);
  return copyPlain(result)?.value;
}

/** Tell the session what it saw the first time, unless it knows all that still. */
function showAgain(seen: SeenFiles, known: KeptAnswer): void {
  if (known.seenVersion !== undefined && known.seenVersion === seen.version) return;
  for (const { path, sighting } of known.sightings) {
    const file = seen.get(path);
    const same = file?.identity === sighting.identity && file.encoding === sighting.encoding;
    if (!same || !file.complete) seen.note(path, sighting);
  }
  known.seenVersion = seen.version;
}
