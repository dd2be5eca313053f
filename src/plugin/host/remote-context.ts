import type { ToolContext } from "../../contract/context.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { SessionEnv } from "../../contract/ports/env.js";
import type { Log, LogLevel } from "../../contract/ports/log.js";
import { ToolPermissionError } from "../../contract/errors.js";
import type { CallMeta, WireEnv } from "../wire.js";
import { notHere, type AskDoor } from "./ask-door.js";
import { remoteFiles } from "./remote-files.js";
import type { Wishes } from "./wishes.js";

/** What the doors of one call lean on. */
export interface RemoteParts {
  readonly meta: CallMeta;
  readonly env: WireEnv;
  readonly signal: AbortSignal;
  readonly workspace: string;
  readonly wishes: Wishes;
}

/** The context of a call in the plugin's process: every door leads back to the call in Tenon. */
export function createRemoteContext(parts: RemoteParts): ToolContext {
  const { meta, signal, wishes, workspace } = parts;
  const { key, env: _env, client, settings, ...who } = meta;
  const ask: AskDoor = (door, args, own) => wishes.ask(key, door, args, own ?? signal);
  return {
    ...who,
    signal,
    settings,
    files: remoteFiles(ask, workspace),
    http: { request: ({ signal: own, ...request }) => ask(["http", "request"], [request], own) as never },
    processes: remoteProcesses(ask),
    store: remoteDoor(ask, ["store"]) as ToolContext["store"],
    code: remoteDoor(ask, ["code"]) as ToolContext["code"],
    outputs: remoteDoor(ask, ["outputs"], ["create"]) as ToolContext["outputs"],
    seen: remoteDoor(ask, ["seen"], ["load", "get", "note", "set", "forget", "move"]) as ToolContext["seen"],
    interact: { ask: (question, own) => ask(["interact", "ask"], [question], own) as never },
    client: client && remoteClient(ask, client),
    tools: remoteDoor(ask, ["tools"], ["search", "describe"]) as ToolContext["tools"],
    clock: localClock,
    env: remoteEnv(parts),
    log: createLog((...args) => wishes.note(key, "log", args)),
    emit: (progress) => wishes.note(key, "emit", [progress]),
    call: (request) => ask(["call"], [request]) as never,
  };
}

/** Any member of a door is a request to Tenon; those that must answer at once cannot be. */
function remoteDoor(ask: AskDoor, path: readonly string[], local: readonly string[] = []): unknown {
  const call = (...args: readonly unknown[]): Promise<unknown> => ask(path, args);
  return new Proxy(call, {
    get(_target, name) {
      // A door is no promise, whatever awaits it.
      if (typeof name === "symbol" || name === "then") return undefined;
      if (local.includes(name)) throw notHere(`${path.join(".")}.${name}`);
      return remoteDoor(ask, [...path, name]);
    },
  });
}

function remoteProcesses(ask: AskDoor): ToolContext["processes"] {
  const send = (method: string, ...args: readonly unknown[]) => ask(["processes", method], args) as never;
  return {
    get sandbox(): never {
      throw notHere("processes.sandbox");
    },
    // Giving back what was held back takes a person's consent, which a plugin does not ask for.
    get quarantine(): never {
      throw notHere("processes.quarantine");
    },
    shell: () => send("shell"),
    async run({ onOutput, ...request }) {
      const result = (await ask(["processes", "run"], [request])) as Awaited<
        ReturnType<ToolContext["processes"]["run"]>
      >;
      for (const stream of ["stdout", "stderr"] as const) {
        if (result[stream].text !== "") onOutput?.(stream, result[stream].text);
      }
      return result;
    },
    start: (request) => send("start", request),
    jobs: () => send("jobs"),
    output: (jobId) => send("output", jobId),
    kill: (jobId) => send("kill", jobId),
  };
}

function remoteClient(
  ask: AskDoor,
  can: NonNullable<CallMeta["client"]>,
): NonNullable<ToolContext["client"]> {
  return {
    can,
    elicit: (params, signal) => ask(["client", "elicit"], [params], signal) as never,
    sample: (params, signal) => ask(["client", "sample"], [params], signal) as never,
    log: (...args) => void ask(["client", "log"], args).catch(() => undefined),
  };
}

/** Reads answer at once from what the call brought along; a change is told to Tenon before the call ends. */
function remoteEnv({ meta, env, wishes }: RemoteParts): SessionEnv {
  const values = new Map(Object.entries(env.values));
  const changed = new Set<string>();
  const refuse = (name: string): void => {
    if (!env.refused.includes(name)) return;
    throw new ToolPermissionError(`the variable "${name}" looks like a secret.`, { code: "SECRET_REFUSED" });
  };
  return {
    get(name) {
      refuse(name);
      return values.get(name) ?? null;
    },
    set(name, value) {
      refuse(name);
      const before = values.get(name) ?? null;
      values.set(name, value);
      changed.add(name);
      wishes.note(meta.key, "env", [name, value]);
      return before;
    },
    entries: () => values,
    changed,
  };
}

/** Log records go to Tenon's log. */
export function createLog(send: (level: LogLevel, message: string, fields: unknown) => void): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      send(level, message, fields);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const localClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        },
        Math.min(ms, 2 ** 31 - 1),
      );
      if (signal?.aborted === true) stop();
      else signal?.addEventListener("abort", stop, { once: true });
    }),
};
