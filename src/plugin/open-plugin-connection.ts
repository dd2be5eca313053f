import { messageOf } from "../contract/message-of.js";
import type { PluginOptions } from "../contract/plugin.js";
import type { LogLevel } from "../contract/ports/log.js";
import type { ConfineProgram, OpenProgram, ProgramChannel } from "../contract/ports/upstream.js";
import { JsonRpcPeer } from "../wire/json-rpc-peer.js";
import { pluginError, describeValue } from "./plugin-error.js";
import type { FoundPlugin } from "./find-plugin.js";
import { PluginRequests } from "./plugin-requests.js";
import { PluginConnection } from "./plugin-connection.js";
import { defaultPluginLimits, killHost, watchHost } from "./watch-host.js";
import { fromWireError } from "./wire-error.js";
import {
  maxMessageBytes,
  methods,
  type Answer,
  type OpenParams,
  type PluginManifest,
  hookNames,
  toolMethods,
} from "./protocol.js";
import { checkIdentity } from "./check-plugin.js";

/** What the process of a plugin is started with. */
export interface ProcessDeps {
  readonly openProgram: OpenProgram;
  /** Required for a plugin that runs in the sandbox. */
  readonly confine?: ConfineProgram | undefined;
  /** The program that runs JavaScript. */
  readonly node: string;
  /** The script that loads and serves a plugin. */
  readonly hostFile: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
  /** How long a stopped call may take to end before its process is killed. @default 5000 */
  readonly graceMs?: number | undefined;
  readonly log: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** How long a plugin may take to be imported and set up. */
export const defaultTimeoutMs = 15_000;
/** The longest string of V8, and so the longest message that its process can read. */
const maxSentBytes = 2 ** 29 - 24;

/** Start a process for a plugin and load the plugin there; where that fails, no process is left behind. */
export async function openPluginConnection(
  found: FoundPlugin,
  options: PluginOptions,
  { deps, onLost }: { readonly deps: ProcessDeps; readonly onLost: (reason: string) => void },
): Promise<PluginConnection> {
  const { timeoutMs = defaultTimeoutMs } = options;
  const state: { connection?: PluginConnection; ended?: string; unwatch?: () => void } = {};
  const lose = (connection: PluginConnection, reason: string): void => {
    connection.lose(reason);
    onLost(reason);
  };
  const requests = new PluginRequests((level, message, fields) =>
    deps.log(level, message, {
      ...(fields as Record<string, unknown>),
      plugin: state.connection?.manifest.name ?? found.label,
    }),
  );
  const peer: JsonRpcPeer = new JsonRpcPeer({
    write: (text) => channel.send(text),
    onRequest: (method, params, signal) => requests.answer(method, params, signal),
    onNotification: (method, params) => requests.note(method, params),
    maxBytes: maxSentBytes,
  });
  const channel = await startProcess(found, options, {
    ...deps,
    onMessage: (message) => peer.receive(message),
    onLost: (reason) => {
      state.ended = reason;
      state.unwatch?.();
      peer.close(new Error(`the connection was lost: ${reason}`));
      if (state.connection !== undefined) lose(state.connection, reason);
    },
  });
  try {
    await awaitStart(peer, found, timeoutMs);
    const manifest = await load(peer, found, { options, workspace: deps.workspace, timeoutMs });
    const kill = (stuck: PluginConnection, reason: string): void => {
      lose(stuck, reason);
      peer.close(new Error(reason));
      killHost(channel.pid);
      void channel.close();
    };
    const { graceMs } = deps;
    const connection = new PluginConnection(manifest, { channel, peer, requests, graceMs, onStuck: kill });
    if (state.ended !== undefined) throw pluginError(found.label, [`its process ended: ${state.ended}`]);
    state.connection = connection;
    state.unwatch = watchHost(channel.pid, options.limits, (reason) => kill(connection, reason));
    return connection;
  } catch (error) {
    await channel.close();
    throw error;
  }
}

async function startProcess(
  found: FoundPlugin,
  { limits, sandbox }: PluginOptions,
  deps: ProcessDeps & Pick<Parameters<OpenProgram>[1], "onMessage" | "onLost">,
): Promise<ProgramChannel> {
  const { openProgram, confine, node, hostFile, env, onMessage, onLost } = deps;
  const onLog = boundedLog((line) => deps.log("info", line, { plugin: found.label, stream: "stderr" }));
  // The heap gets no more than the whole process may use, so that it fails there before it is killed from outside.
  const heapMiB = Math.max(16, Math.floor((limits?.memory ?? defaultPluginLimits.memory) / 1024 ** 2));
  const args = [`--max-old-space-size=${heapMiB}`, hostFile, found.file];
  try {
    return await openProgram(
      { kind: "program", command: node, args, env, cwd: found.root, sandbox },
      { onMessage, onLost, onLog, maxMessageBytes, confine },
    );
  } catch (error) {
    throw pluginError(found.label, [`its process could not be started: ${messageOf(error)}`], error);
  }
}

/** Wait until the process answers; the time to start it is not the plugin's. */
async function awaitStart(peer: JsonRpcPeer, { label }: FoundPlugin, timeoutMs: number): Promise<void> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    await peer.request("ping", {}, late);
  } catch (error) {
    const reason = late.aborted ? `it did not answer within ${timeoutMs} ms` : messageOf(error);
    throw pluginError(label, [`its process could not be started: ${reason}`], error);
  }
}

async function load(
  peer: JsonRpcPeer,
  found: FoundPlugin,
  given: { readonly options: PluginOptions; readonly workspace: string; readonly timeoutMs: number },
): Promise<PluginManifest> {
  const { file, root, label } = found;
  const { options, workspace, timeoutMs } = given;
  const params: OpenParams = { file, root, label, workspace, options: options.options ?? {}, timeoutMs };
  const late = AbortSignal.timeout(timeoutMs + 500);
  let answer: Answer;
  try {
    answer = Object(await peer.request(methods.open, { ...params }, late)) as Answer;
  } catch (error) {
    const reason = late.aborted
      ? `it was not imported and set up within ${timeoutMs} ms`
      : `its process ended while it was loaded: ${messageOf(error)}`;
    throw pluginError(label, [reason], error);
  }
  if (!answer.ok) throw fromWireError(answer.error);
  return checkManifest(answer.value, label);
}

const maxLines = 200;
const windowMs = 10_000;

/** Keep a plugin that prints without end from filling the log. */
function boundedLog(log: (line: string) => void): (line: string) => void {
  let start = performance.now();
  let lines = 0;
  return (line) => {
    const now = performance.now();
    if (now - start > windowMs) {
      start = now;
      lines = 0;
    }
    if (++lines < maxLines) log(line);
    else if (lines === maxLines) log("The plugin prints too much; its output is dropped for a while.");
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Check the manifest that a plugin's process sent: the plugin's own code may have changed it. */
function checkManifest(value: unknown, label: string): PluginManifest {
  const manifest = Object(value) as Fields;
  const faults: string[] = [];
  checkIdentity(manifest, faults);
  checkEntries(manifest["tools"], faults, { list: "tools", of: "methods", known: toolMethods });
  checkEntries(manifest["extensions"], faults, { list: "extensions", of: "hooks", known: hookNames });
  if (faults.length > 0) throw pluginError(label, faults);
  return manifest as unknown as PluginManifest;
}

interface Rule {
  readonly list: string;
  readonly of: string;
  readonly known: readonly string[];
}

/** Each entry has a name and says which of the known functions it has. */
function checkEntries(value: unknown, faults: string[], { list, of, known }: Rule): void {
  if (!Array.isArray(value)) {
    faults.push(`"${list}" must be a list, found ${describeValue(value)}`);
    return;
  }
  for (const [at, entry] of value.entries()) {
    const { name, [of]: functions } = Object(entry) as Fields;
    if (typeof name !== "string") faults.push(`${list}[${at}] has no name`);
    if (!Array.isArray(functions) || !functions.every((one) => known.includes(one as string)))
      faults.push(`${list}[${at}] has ${of} that do not exist`);
  }
}
