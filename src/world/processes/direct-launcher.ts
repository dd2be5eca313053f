import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { throughGroup, type CommandGroup } from "../sandbox/command-group.js";
import { cannotStart, missingFolder } from "./launch-errors.js";
import type { Exit, Launch, Launcher, OutputSink, Running } from "./launch.js";
import { createPipeInput } from "./process-input.js";

/** A launcher that spawns from the host process itself: for Windows, and for systems without bash. */
export function createDirectLauncher(openGroup: () => CommandGroup | undefined = () => undefined): Launcher {
  return {
    async launch(command, sink) {
      const group = openGroup();
      try {
        return { ...(await launch({ ...command, ...throughGroup(command, group) }, sink)), group };
      } catch (error) {
        group?.remove();
        throw error;
      }
    },
    close: async () => {},
  };
}

async function launch(command: Launch, sink: OutputSink): Promise<Running> {
  if (statSync(command.cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw missingFolder(command.cwd);
  const child = await spawnChild(command);
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const drained = Promise.all([
    readStream(child.stdout, (bytes) => sink("stdout", bytes)),
    readStream(child.stderr, (bytes) => sink("stderr", bytes)),
  ]);
  for (const { fd, data } of command.fds ?? []) writeData(child.stdio[fd] as Writable, data);
  return {
    pid: child.pid ?? 0,
    exited: new Promise<Exit>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    }),
    drained: drained.then(() => undefined),
    ...(child.stdin !== null && { input: createPipeInput(child.stdin) }),
    release: () => streams.forEach((stream) => stream.destroy()),
    unref() {
      child.unref();
      for (const stream of streams) (stream as Readable & { unref?(): void }).unref?.();
    },
  };
}

/** Spawn failures are thrown or emitted; both become one error. */
async function spawnChild(command: Launch): Promise<ChildProcess> {
  const stdio: StdioOptions = [command.hasInput === true ? "pipe" : "ignore", "pipe", "pipe"];
  for (const { fd } of command.fds ?? []) {
    while (stdio.length < fd) stdio.push("ignore");
    stdio[fd] = "pipe";
  }
  try {
    const child = spawn(command.file, [...command.args], {
      cwd: command.cwd,
      env: { ...command.env },
      stdio,
      detached: process.platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: /\bcmd(?:\.exe)?$/i.test(command.file),
    });
    await once(child, "spawn");
    return child;
  } catch (cause) {
    throw cannotStart(command.file, cause);
  }
}

function readStream(
  stream: Readable | null,
  take: (bytes: Uint8Array) => Promise<void> | undefined,
): Promise<void> {
  if (stream === null) return Promise.resolve();
  stream.on("data", (bytes: Buffer) => {
    const busy = take(bytes);
    if (busy === undefined) return;
    stream.pause();
    const resume = (): void => void stream.resume();
    busy.then(resume, resume);
  });
  stream.on("error", () => stream.destroy());
  return new Promise((resolve) => stream.once("close", () => resolve()));
}

/** A program that does not read its data must not crash the host. */
function writeData(stream: Writable, data: Uint8Array): void {
  stream.on("error", () => {});
  stream.end(data);
}
