import type { PluginOptions } from "../contract/plugin.js";
import type { LogLevel } from "../contract/ports/log.js";
import type { OpenUpstream, Upstream } from "../contract/ports/upstream.js";
import { checkManifest } from "./check-manifest.js";
import { refusal } from "./check-plugin.js";
import type { FoundPlugin } from "./find-plugin.js";
import { PluginLine } from "./plugin-line.js";
import { defaultPluginLimits, killHost, watchHost } from "./watch-host.js";
import { fromWireError } from "./wire-error.js";
import { methods, type Answer, type OpenParams, type PluginManifest } from "./wire.js";

/** What a process of a plugin is started with. */
export interface ProcessParts {
  readonly openUpstream: OpenUpstream;
  /** The program that runs JavaScript. */
  readonly node: string;
  /** The program that a plugin lives in. */
  readonly hostFile: string;
  /** All that it sees of an environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
  /** How long a stopped call has to end before its process is ended. @default 5000 */
  readonly graceMs?: number | undefined;
  readonly log: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface LineEvents {
  readonly onLost: (line: PluginLine, reason: string) => void;
}

/** How long a plugin may take to be imported and set up, where nobody says so. */
export const defaultTimeoutMs = 15_000;

/** Start a process for a plugin and let it load it there; a plugin that fails leaves no process behind. */
export async function openLine(
  found: FoundPlugin,
  options: PluginOptions,
  { parts, events }: { readonly parts: ProcessParts; readonly events: LineEvents },
): Promise<PluginLine> {
  const { timeoutMs = defaultTimeoutMs } = options;
  const state: { line?: PluginLine; ended?: string; unwatch?: () => void } = {};
  const onLog = boundedLog((line) => parts.log("info", line, { plugin: found.label, stream: "stderr" }));
  const lose = (line: PluginLine, reason: string): void => {
    line.lose(reason);
    events.onLost(line, reason);
  };
  const upstream = await start(
    found,
    { ...parts, limits: options.limits },
    {
      timeoutMs,
      onLog,
      onLost: (reason) => {
        state.ended = reason;
        state.unwatch?.();
        if (state.line !== undefined) lose(state.line, reason);
      },
    },
  );
  try {
    const manifest = await load(upstream, found, { options, workspace: parts.workspace, timeoutMs });
    const giveUp = (stuck: PluginLine, reason: string): void => {
      lose(stuck, reason);
      killHost(upstream.pid);
      void upstream.close();
    };
    const line = new PluginLine(upstream, manifest, {
      graceMs: parts.graceMs,
      onLog: (level, message, fields) =>
        parts.log(level, message, { ...(fields as Record<string, unknown>), plugin: manifest.name }),
      onStuck: giveUp,
    });
    if (state.ended !== undefined) throw refusal(found.label, [`its process ended: ${state.ended}`]);
    state.line = line;
    state.unwatch = watchHost(upstream.pid, options.limits, (reason) => giveUp(line, reason));
    return line;
  } catch (error) {
    await upstream.close();
    throw error;
  }
}

async function start(
  found: FoundPlugin,
  { openUpstream, node, hostFile, env, limits }: ProcessParts & Pick<PluginOptions, "limits">,
  options: Parameters<OpenUpstream>[1],
): Promise<Upstream> {
  try {
    // The heap has no more room than the whole process may use: it fails there before it is ended from outside.
    const heapMiB = Math.max(16, Math.floor((limits?.memory ?? defaultPluginLimits.memory) / 1024 ** 2));
    const args = [`--max-old-space-size=${heapMiB}`, hostFile, found.file];
    return await openUpstream({ kind: "program", command: node, args, env, cwd: found.root }, options);
  } catch (error) {
    throw refusal(found.label, [`its process could not be started: ${(error as Error).message}`], error);
  }
}

async function load(
  upstream: Upstream,
  found: FoundPlugin,
  given: { readonly options: PluginOptions; readonly workspace: string; readonly timeoutMs: number },
): Promise<PluginManifest> {
  const { file, root, label } = found;
  const { options, workspace, timeoutMs } = given;
  const params: OpenParams = { file, root, label, workspace, options: options.options ?? {}, timeoutMs };
  const late = AbortSignal.timeout(timeoutMs + 500);
  let answer: Answer;
  try {
    answer = Object(await upstream.request(methods.open, { ...params }, late)) as Answer;
  } catch (error) {
    const reason = late.aborted
      ? `it was not imported and set up within ${timeoutMs} ms`
      : `its process ended while it was loaded: ${(error as Error).message}`;
    throw refusal(label, [reason], error);
  }
  if (!answer.ok) throw fromWireError(answer.error);
  return checkManifest(answer.value, label);
}

const mostLines = 200;
const windowMs = 10_000;

/** A plugin that prints without end fills nobody's log. */
function boundedLog(log: (line: string) => void): (line: string) => void {
  let start = performance.now();
  let lines = 0;
  return (line) => {
    const now = performance.now();
    if (now - start > windowMs) {
      start = now;
      lines = 0;
    }
    if (++lines < mostLines) log(line);
    else if (lines === mostLines) log("It prints too much: more of it is left out for a while.");
  };
}
