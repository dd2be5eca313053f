import { spawn } from "node:child_process";
import type { Writable } from "node:stream";

export interface ProgramRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly extraFds?: readonly { readonly fd: number; readonly data: Uint8Array }[];
  readonly timeoutMs: number;
}

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Run a short system program and collect its output; if it cannot start, stderr says why. */
export function runProgram(
  { file, args, env, extraFds = [], timeoutMs }: ProgramRun,
  onStarted: (pid: number) => void = () => {},
): Promise<ProgramResult> {
  const highest = Math.max(2, ...extraFds.map(({ fd }) => fd));
  const extra = Array.from({ length: highest - 2 }, () => "pipe" as const);
  const child = spawn(file, args, {
    env,
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe", ...extra],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  child.once("spawn", () => onStarted(child.pid ?? 0));
  const output = { stdout: "", stderr: "" };
  const collect = (name: "stdout" | "stderr") => (chunk: Buffer) => {
    if (output[name].length < maxChars) output[name] += chunk.toString();
  };
  child.stdout?.on("data", collect("stdout"));
  child.stderr?.on("data", collect("stderr"));
  for (const { fd, data } of extraFds) {
    const pipe = child.stdio[fd] as Writable;
    // A program that exits early breaks the pipe; its exit code is reported.
    pipe.on("error", () => {});
    pipe.end(data);
  }
  return new Promise((resolve) => {
    child.on("error", (cause) => resolve({ code: null, stdout: "", stderr: cause.message }));
    child.on("close", (code) => resolve({ code, ...output }));
  });
}

const maxChars = 64 * 1024;
