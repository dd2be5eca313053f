import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import type { Writable } from "node:stream";
import type { ConfinedProgram, ConfineProgram, UpstreamSpec } from "../../contract/ports/upstream.js";

export type ProgramSpec = Extract<UpstreamSpec, { kind: "program" }>;

/** How a program is spoken with. */
export interface ProgramOptions {
  /** Longer messages are refused. */
  readonly maxMessageBytes: number;
  /** Called when the program violated the protocol and the connection continues. */
  readonly onFault: (message: string) => void;
  /** A line on its standard error. */
  readonly onLog: (line: string) => void;
  /** Required for a program that runs in the sandbox. */
  readonly confine?: ConfineProgram | undefined;
  /** Its requests are expected and do not count as a flood. @default false */
  readonly sendsRequests?: boolean | undefined;
}

/** What to start: the program itself, or what runs it in the sandbox. */
export async function prepareProgram(
  spec: ProgramSpec,
  confine: ConfineProgram | undefined,
): Promise<{ readonly launch: Launch; readonly confined?: ConfinedProgram }> {
  const { command, args = [], env, cwd, sandbox } = spec;
  if (sandbox === undefined) return { launch: { file: command, args, env, cwd, fds: [] } };
  if (confine === undefined) throw new Error("it must run in the sandbox, which is not available here");
  const confined = await confine(spec);
  return { launch: confined, confined };
}

/** A program to start, with the bytes of its further descriptors. */
export type Launch = Pick<ConfinedProgram, "file" | "args" | "env" | "fds"> & {
  readonly cwd: string | undefined;
};

/** Start it as the leader of a process group, with more variables. */
export function spawnProgram(
  { file, args, env, cwd, fds }: Launch,
  variables: Readonly<Record<string, string>>,
): ChildProcess {
  const child = spawn(file, [...args], {
    env: { ...env, ...variables },
    ...(cwd !== undefined && { cwd }),
    stdio: ["pipe", "pipe", "pipe", ...fds.map(() => "pipe" as const)],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  for (const { fd, data } of fds) writeBytes(child.stdio[fd] as Writable | undefined, data);
  return child;
}

/** A process that ends without reading them must not end this one. */
function writeBytes(pipe: Writable | undefined, data: Uint8Array): void {
  pipe?.on("error", () => {});
  pipe?.end(data);
}

/** The system's word for a missing program and for a missing folder to start it in is the same. */
export function whyNotStarted(
  error: NodeJS.ErrnoException,
  { command, cwd }: Pick<ProgramSpec, "command" | "cwd">,
): string {
  if (cwd !== undefined && !existsSync(cwd)) return `the folder ${cwd} to start it in does not exist`;
  if (error.code === "ENOENT") return `the program "${command}" was not found`;
  if (error.code === "EACCES") return `"${command}" may not be run as a program`;
  return `it could not be started: ${error.message}`;
}
