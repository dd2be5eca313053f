import { toRequest } from "../../contract/to-request.js";
import type { ToolContext } from "../../contract/context.js";
import { systemClock } from "../../contract/system-clock.js";
import type { SessionEnv } from "../../contract/ports/env.js";
import type { Log, LogLevel } from "../../contract/ports/log.js";
import { ToolPermissionError, ToolResourceNotFoundError } from "../../contract/errors.js";
import type { CallMeta, WireEnv } from "../protocol.js";
import { notRemote, type AskContext } from "./ask-context.js";
import type { ContextRequests } from "./context-requests.js";
import type { DirectoryEntry, Files, FileStat, OpenFile, WalkBatch } from "../../contract/ports/files.js";

/** What the context of one call needs. */
export interface RemoteContextDeps {
  readonly meta: CallMeta;
  readonly env: WireEnv;
  readonly signal: AbortSignal;
  readonly workspace: string;
  readonly requests: ContextRequests;
}

/** The context of a call in the plugin's process: its members are requests to the call in Tenon. */
export function createRemoteContext(deps: RemoteContextDeps): ToolContext {
  const { meta, signal, requests, workspace } = deps;
  const { key, env: _env, client, settings, ...who } = meta;
  const ask: AskContext = (path, args, own) => requests.ask(key, path, { args, signal: own ?? signal });
  return {
    ...who,
    signal,
    settings,
    files: remoteFiles(ask, workspace),
    http: { request: ({ signal: own, ...request }) => ask(["http", "request"], [request], own) as never },
    processes: remoteProcesses(ask),
    store: remoteMember(ask, ["store"]) as ToolContext["store"],
    code: remoteMember(ask, ["code"]) as ToolContext["code"],
    outputs: remoteMember(ask, ["outputs"], ["create"]) as ToolContext["outputs"],
    seen: remoteMember(
      ask,
      ["seen"],
      ["load", "get", "note", "set", "forget", "move"],
    ) as ToolContext["seen"],
    interact: { ask: (question, own) => ask(["interact", "ask"], [question], own) as never },
    client: client && remoteClient(ask, client),
    tools: remoteMember(ask, ["tools"], ["search", "describe"]) as ToolContext["tools"],
    clock: systemClock,
    env: remoteEnv(deps),
    log: createLog((...args) => requests.note(key, "log", args)),
    emit: (progress) => requests.note(key, "emit", [progress]),
    call: (target: unknown, input?: unknown, options?: unknown) =>
      ask(["call"], [toRequest(target, input, options)]) as never,
  };
}

/** Every member is a request to Tenon, except for the `local` ones, which would have to return at once. */
function remoteMember(ask: AskContext, path: readonly string[], local: readonly string[] = []): unknown {
  const call = (...args: readonly unknown[]): Promise<unknown> => ask(path, args);
  return new Proxy(call, {
    get(_target, name) {
      // It is not a promise, even where it is awaited.
      if (typeof name === "symbol" || name === "then") return undefined;
      if (local.includes(name)) throw notRemote(`${path.join(".")}.${name}`);
      return remoteMember(ask, [...path, name]);
    },
  });
}

function remoteProcesses(ask: AskContext): ToolContext["processes"] {
  const send = (method: string, ...args: readonly unknown[]) => ask(["processes", method], args) as never;
  return {
    get sandbox(): never {
      throw notRemote("processes.sandbox");
    },
    // Releasing quarantined files takes a person's consent, which a plugin does not ask for.
    get quarantine(): never {
      throw notRemote("processes.quarantine");
    },
    get layers(): never {
      throw notRemote("processes.layers");
    },
    get folder(): never {
      throw notRemote("processes.folder");
    },
    get credentialHosts(): never {
      throw notRemote("processes.credentialHosts");
    },
    presetHosts: (names, cwd, entered) => send("presetHosts", names, cwd, entered),
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
    type: (jobId, input) => send("type", jobId, input),
    kill: (jobId) => send("kill", jobId),
  };
}

function remoteClient(
  ask: AskContext,
  supports: NonNullable<CallMeta["client"]>,
): NonNullable<ToolContext["client"]> {
  return {
    supports,
    elicit: (params, signal) => ask(["client", "elicit"], [params], signal) as never,
    sample: (params, signal) => ask(["client", "sample"], [params], signal) as never,
    request: (method, params, signal) => ask(["client", "request"], [method, params], signal) as never,
    log: (...args) => void ask(["client", "log"], args).catch(() => undefined),
  };
}

/** Reads use the values that came with the call; a change is reported to Tenon before the call ends. */
function remoteEnv({ meta, env, requests }: RemoteContextDeps): SessionEnv {
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
      requests.note(meta.key, "env", [name, value]);
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

/** The guarded files, reached through Tenon. */
function remoteFiles(ask: AskContext, root: string): Files {
  const send = (method: string, ...args: readonly unknown[]) => ask(["files", method], args) as never;
  return {
    root,
    check: () => {
      throw notRemote("files.check");
    },
    stat: (path) => send("stat", path),
    read: (path, range) => send("read", path, range),
    open: (path) => openWhole(ask, path),
    async *list(path) {
      yield* (await ask(["files", "list"], [path])) as readonly DirectoryEntry[];
    },
    async *walk(path, { wants, enters, ...options } = {}) {
      for (const batch of (await ask(["files", "walk"], [path, options])) as readonly WalkBatch[]) {
        const entries = batch.entries.filter(
          (entry) => (wants?.(entry) ?? true) && isEntered(entry.path, enters),
        );
        yield { ...batch, entries };
      }
    },
    write: (path, data, options) => send("write", path, data, options),
    append: (path, data) => send("append", path, data),
    mkdir: (path) => send("mkdir", path),
    move: (from, to, options) => send("move", from, to, options),
    copy: (from, to, options) => send("copy", from, to, options),
    delete: (path, options) => send("delete", path, options),
    apply: (mutations) => {
      if (typeof mutations === "function") throw notRemote("files.apply with a function");
      return send("apply", mutations);
    },
    undo: (what) => send("undo", what),
    touchedBy: (what) => send("touchedBy", what),
    previewUndo: (what) => send("previewUndo", what),
    history: (query) => send("history", query),
    clearHistory: (path) => send("clearHistory", path),
    watch: () => {
      throw notRemote("files.watch");
    },
  };
}

/** Whether the walk may go where the entry lies, by every folder on the way. */
function isEntered(path: string, enters: ((path: string) => boolean) | undefined): boolean {
  if (enters === undefined) return true;
  const names = path.split("/");
  return names.slice(0, -1).every((_, at) => enters(names.slice(0, at + 1).join("/")));
}

/** A whole file, as an open one: reading in pieces would be a request each, and sync reads could not wait. */
async function openWhole(ask: AskContext, path: string): Promise<OpenFile> {
  const stat = (await ask(["files", "stat"], [path])) as FileStat | null;
  if (stat === null) throw new ToolResourceNotFoundError(`File not found: ${path}`);
  const data = (await ask(["files", "read"], [path])) as Uint8Array;
  return {
    stat,
    path,
    readInto(buffer, position) {
      const part = data.subarray(position, position + buffer.length);
      buffer.set(part);
      return part.length;
    },
    look: () => stat,
    close: () => undefined,
  };
}
