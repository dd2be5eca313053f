import { mkdtemp, open, rm } from "node:fs/promises";
import { isIP } from "node:net";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { messageOf } from "../../contract/message-of.js";
import type { NetworkUse } from "../../contract/ports/processes.js";
import type { ConfinedProgram, ConfineProgram, UpstreamSpec } from "../../contract/ports/upstream.js";
import { notGranted } from "../../world/forwarder/network-run.js";
import { findProgram } from "../../world/sandbox/find-program.js";
import type { WrappedCommand } from "../../world/sandbox/sandbox-types.js";
import { readTrace, traceOptions, type Trace } from "../../world/sandbox/trace/read-trace.js";
import type { RuntimeBase } from "../state/runtime-base.js";
import { findReachedPaths, namedPaths, type ReachedPaths } from "./reached-paths.js";
import type { SandboxedProgram } from "./program-sandboxes.js";

/** How a program did when it was tried in the sandbox. */
export interface SandboxTrial {
  /** Whether it started and offered its tools. */
  readonly started: boolean;
  /** Why it did not start. */
  readonly reason?: string | undefined;
  readonly tools: readonly string[];
  /** The last lines that it wrote to its standard error. */
  readonly log: readonly string[];
  readonly reached: ReachedThings;
}

/** How long a program is tried. */
export interface TrialOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Start a program by `run`, which returns the names of its tools, and report the outcome. */
export async function tryProgram(
  observer: ProgramObserver,
  run: (heard: (line: string) => void) => Promise<readonly string[]>,
): Promise<SandboxTrial> {
  const log: string[] = [];
  const heard = (line: string): void => {
    observer.heard(line);
    log.push(line);
    if (log.length > 20) log.shift();
  };
  try {
    const tools = await run(heard);
    return { started: true, tools, log, reached: await observer.finish() };
  } catch (error) {
    return { started: false, reason: messageOf(error), tools: [], log, reached: await observer.finish() };
  }
}

/** What a program tried to use while it was observed in the sandbox. */
export interface ReachedThings extends ReachedPaths {
  /** Hosts that it reached or was refused. */
  readonly hosts: readonly ReachedHost[];
  /** Programs that it started, by their names. */
  readonly programs: readonly string[];
  /** Whether every use of a file was seen; otherwise only what its command line and its output name. */
  readonly isTraced: boolean;
}

/** A host that a program reached. */
export interface ReachedHost extends Pick<NetworkUse, "host" | "port" | "verdict" | "reason"> {
  /** Whether a grant of the host would open it: not for private addresses and hosts that a rule denies. */
  readonly isOffered: boolean;
}

export interface ProgramObserver {
  readonly confine: ConfineProgram;
  /** Its output, from which paths are taken if it could not be traced. */
  heard(line: string): void;
  /** What it tried to use; called once, after it has ended. */
  finish(): Promise<ReachedThings>;
}

type ProgramSpec = Extract<UpstreamSpec, { kind: "program" }>;
type Launch = Pick<ConfinedProgram, "file" | "args">;

interface Started {
  readonly spec: ProgramSpec;
  readonly wrapped: WrappedCommand;
  readonly writable: readonly string[];
}

/** Changes what is started so that it is traced. */
export interface TraceTarget {
  started(launch: Launch, started: Started): Launch;
}

export interface ObserverOptions extends Pick<RuntimeBase, "workspace" | "stateDir" | "env"> {
  readonly confine: (program: SandboxedProgram, target: TraceTarget) => ConfineProgram;
}

/** Run a program as it will run later, with strace around it if that is installed. */
export function observeProgram(program: SandboxedProgram, options: ObserverOptions): ProgramObserver {
  const { workspace, stateDir, env } = options;
  const strace = findProgram("strace", { path: env["PATH"], untrusted: [workspace] });
  const uses = new Map<string, NetworkUse>();
  const lines: string[] = [];
  let folder: string | undefined;
  let started: Started | undefined;
  const target: TraceTarget = {
    started(launch, parts) {
      started = parts;
      if (strace === undefined || folder === undefined) return launch;
      return {
        file: strace,
        args: [...traceOptions, "-o", join(folder, "trace"), launch.file, ...launch.args],
      };
    },
  };
  const observed: SandboxedProgram = {
    ...program,
    onNetwork(use) {
      uses.set(`${use.host} ${use.port} ${use.verdict}`, use);
      program.onNetwork?.(use);
    },
  };
  return {
    async confine(spec) {
      folder ??= await mkdtemp(join(tmpdir(), "tenon-trace-"));
      return options.confine(observed, target)(spec);
    },
    heard: (line) => void (lines.length < maxLines && lines.push(line)),
    async finish() {
      const text = folder === undefined ? "" : await readStart(join(folder, "trace"));
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      const isTraced = text !== "";
      const trace = readTrace(text, started?.spec.command ?? "");
      const paths = findPaths(started, {
        trace,
        lines: isTraced ? [] : lines,
        wide: [homedir(), workspace, stateDir],
      });
      const hosts = [...uses.values()].map(toHost);
      const direct = trace.addresses.map((place): ReachedHost => ({
        ...place,
        verdict: "refused",
        reason: "it connects to an address directly",
        isOffered: false,
      }));
      return { ...paths, hosts: [...hosts, ...direct], programs: trace.programs.slice(0, 50), isTraced };
    },
  };
}

const maxLines = 200;
const maxTraceBytes = 64 * 1024 * 1024;

/** A host that was refused for its address or by a rule stays refused if it is granted. */
function toHost({ host, port, verdict, reason }: NetworkUse): ReachedHost {
  const isOffered = verdict === "refused" && reason === notGranted && isIP(host) === 0;
  return { host, port, verdict, reason, isOffered };
}

function findPaths(
  started: Started | undefined,
  {
    trace,
    lines,
    wide,
  }: { readonly trace: Trace; readonly lines: readonly string[]; readonly wide: readonly string[] },
): ReachedPaths {
  if (started === undefined) return { readable: [], writable: [], withheld: [] };
  const { spec, wrapped } = started;
  const cwd = spec.cwd ?? "/";
  const words = [
    ...(spec.args ?? []),
    ...Object.entries(spec.env).flatMap(([name, value]) => (inherited.has(name) ? [] : [value])),
  ];
  const command = spec.command.includes("/") ? [spec.command] : [];
  const told = lines.flatMap((line) => line.match(/\/[\w@+.-]+(?:\/[\w@+. -]*[\w@+.-])+/g) ?? []);
  return findReachedPaths({
    refused: [...trace.refused, ...trace.missing.map((path) => ({ path, access: "look" as const }))],
    named: namedPaths([...command, ...words, ...told], cwd).filter((path) => basename(path) !== ""),
    cwd,
    visible: wrapped.visible,
    writable: started.writable,
    secrets: wrapped.secrets,
    wide,
  });
}

/** Variables that every program gets. */
const inherited = new Set(["PATH", "HOME", "SHELL", "USER", "LOGNAME", "TMPDIR", "PWD"]);

async function readStart(file: string): Promise<string> {
  const opened = await open(file, "r").catch(() => undefined); // it was not started, or not by strace
  if (opened === undefined) return "";
  try {
    const { size } = await opened.stat();
    const bytes = Buffer.alloc(Math.min(size, maxTraceBytes));
    await opened.read(bytes, 0, bytes.length, 0);
    return bytes.toString("utf8");
  } finally {
    await opened.close();
  }
}
