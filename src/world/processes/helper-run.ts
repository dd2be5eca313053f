import { closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../contract/errors.js";
import { createFifoPool, type FifoPool } from "./fifo-pool.js";
import { startHelper, type Helper, type Report } from "./helper.js";
import { cannotStart, HelperLostError, missingFolder } from "./launch-errors.js";
import type { Exit, Launch, OutputSink, Running } from "./launch.js";
import { readPipe, type PipeReader } from "./pipe-reader.js";
import { createStandbys, type Standbys } from "./standbys.js";
import { startRequest } from "./start-request.js";

export interface HelperRunOptions {
  readonly bash: string;
  /** Where the private folder with the pipes is made. */
  readonly tempDir: string;
  /** In the environment of everything that is started; the helper ends what carries it when the host is gone. */
  readonly tag: string;
  /** Told of each helper: what it starts inherits what is done to it now. */
  readonly onStart?: ((pid: number) => Promise<void>) | undefined;
}

/** A command on its way or running. */
interface Entry {
  readonly cwd: string;
  readonly started: (pid: number) => void;
  readonly failed: (error: Error) => void;
  readonly ended: (exit: Exit) => void;
  /** 0 until it has started. */
  pid: number;
}

const startMs = 15_000;
const probeMs = 100;
const reportMs = 200;

/** One helper from its start to its end, with the commands that it started. They may outlive it. */
export class HelperRun {
  readonly #dir: string;
  readonly #helper: Helper;
  readonly #fifos: FifoPool;
  readonly #entries = new Map<number, Entry>();
  /** Commands that keep the host process alive. */
  readonly #held = new Set<number>();
  readonly #prepared: Promise<void>;
  readonly #standbys: Standbys;
  /** Descriptors of bash's own. */
  readonly #foreign: number[] = [];
  #nextId = 0;

  constructor(options: HelperRunOptions) {
    this.#dir = mkdtempSync(join(options.tempDir, "tenon-"));
    this.#helper = startHelper({
      bash: options.bash,
      dir: this.#dir,
      tag: options.tag,
      onReport: (report) => this.#report(report),
      onExit: () => this.#lost(),
    });
    const { pid } = this.#helper;
    const told = pid === undefined ? undefined : options.onStart?.(pid);
    this.#prepared = told?.catch(() => undefined) ?? Promise.resolve();
    this.#fifos = createFifoPool(this.#dir, (first, last) => this.#helper.send(`fifos ${first} ${last} &`));
    this.#standbys = createStandbys(this.#fifos, (number) => this.#helper.send(`standby ${number} &`));
  }

  get alive(): boolean {
    return this.#helper.alive;
  }

  async launch(launch: Launch, sink: OutputSink): Promise<Running> {
    const id = (this.#nextId += 1);
    this.#hold(id);
    try {
      await this.#prepared;
      const paths = [await this.#fifos.take(), await this.#fifos.take()] as const;
      const out = openReader(paths[0]);
      const err = openReader(paths[1]);
      const { pid, exited } = await this.#start(id, launch, paths)
        .catch((error: unknown) => {
          for (const fd of [out, err]) closeSync(fd);
          for (const path of paths) this.#remove(path);
          throw error;
        })
        .finally(() => {
          for (const { fd } of launch.fds ?? []) this.#remove(join(this.#dir, `${id}-${fd}`));
        });
      const readers = [
        readPipe(out, (bytes) => sink("stdout", bytes)),
        readPipe(err, (bytes) => sink("stderr", bytes)),
      ];
      readers.forEach((reader, at) => void this.#reuse(reader, paths[at] ?? ""));
      void this.#watch(id, readers);
      return this.#toRunning({ id, pid, exited, readers });
    } catch (error) {
      this.#leave(id);
      throw error instanceof ToolError ? error : cannotStart(launch.file, error);
    }
  }

  async close(): Promise<void> {
    this.#standbys.close();
    // Where nothing runs it need not look for what is left.
    if (this.#entries.size === 0) this.#helper.send("exit");
    await this.#helper.end();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #start(
    id: number,
    launch: Launch,
    fifos: readonly [string, string],
  ): Promise<{ readonly pid: number; readonly exited: Promise<Exit> }> {
    const files = (launch.fds ?? []).map(({ fd, data }) => ({ fd, path: this.#fileOf(`${id}-${fd}`, data) }));
    return new Promise((resolve, reject) => {
      // It has not answered for long: it is stuck, and a new one is started next time.
      const stuck = setTimeout(() => this.#helper.kill(), startMs);
      let request: string | undefined;
      const exited = new Promise<Exit>((ended) => {
        this.#entries.set(id, {
          cwd: launch.cwd,
          pid: 0,
          started: (pid) => {
            clearTimeout(stuck);
            if (request !== undefined) this.#fifos.giveBack(request);
            resolve({ pid, exited });
          },
          failed: (error) => {
            clearTimeout(stuck);
            reject(error);
          },
          ended,
        });
      });
      const script = startRequest({ id, launch, fifos, files, foreign: this.#foreign });
      request = this.#standbys.send(script);
      if (request !== undefined) return;
      this.#helper.send(`( ${script}\n) &`);
      if (!this.alive) this.#lost();
    });
  }

  /** A fifo that every writer has closed can serve again; one that somebody still holds is removed. */
  async #reuse(reader: PipeReader, path: string): Promise<void> {
    await reader.ended;
    if (reader.atEnd) this.#fifos.giveBack(path);
    else this.#remove(path);
  }

  #remove(path: string): void {
    try {
      unlinkSync(path);
    } catch {
      // It is gone already, with its folder.
    }
  }

  /** Small, and on a disk in memory or in the cache: written at once. */
  #fileOf(name: string, data: Uint8Array): string {
    const path = join(this.#dir, name);
    writeFileSync(path, data, { mode: 0o600 });
    return path;
  }

  #report({ kind, id, value }: Report): void {
    if (kind === "f") {
      this.#fifos.add(id, value);
      if (this.#held.size === 0) this.#helper.hold(false);
      return;
    }
    if (kind === "h") this.#foreign.push(id);
    if (kind === "s") this.#standbys.ready(id);
    const entry = this.#entries.get(id);
    if (entry === undefined || kind === "h" || kind === "s") return;
    if (kind === "p") {
      entry.pid = value;
      entry.started(value);
    } else if (kind === "x") {
      this.#leave(id);
      entry.ended({ code: value, signal: null });
      this.#standbys.refill();
    } else if (kind === "d") entry.failed(missingFolder(entry.cwd));
    else if (kind === "o") entry.failed(new HelperLostError());
  }

  /** What it has started goes on and still reports; what nothing is heard of soon was never started. */
  #lost(): void {
    this.#fifos.fail(new HelperLostError());
    const waiting = [...this.#entries.values()].filter((entry) => entry.pid === 0);
    if (waiting.length === 0) return;
    setTimeout(() => {
      for (const entry of waiting) if (entry.pid === 0) entry.failed(new HelperLostError());
    }, reportMs);
  }

  /** Where the process that waits for a command was killed, nobody reports the end: it is seen here. */
  async #watch(id: number, readers: readonly PipeReader[]): Promise<void> {
    await Promise.all(readers.map((reader) => reader.ended));
    let misses = 0;
    for (let entry = this.#entries.get(id); entry !== undefined; entry = this.#entries.get(id)) {
      await new Promise((resolve) => setTimeout(resolve, probeMs).unref());
      misses = isRunning(entry.pid) ? 0 : misses + 1;
      if (misses < 2) continue; // a report may be on its way
      this.#leave(id);
      entry.ended({ code: null, signal: null });
    }
  }

  #hold(id: number): void {
    this.#held.add(id);
    this.#helper.hold(true);
  }

  #release(id: number): void {
    this.#held.delete(id);
    if (this.#held.size === 0) this.#helper.hold(false);
  }

  #leave(id: number): void {
    this.#entries.delete(id);
    this.#release(id);
  }

  #toRunning(parts: {
    readonly id: number;
    readonly pid: number;
    readonly exited: Promise<Exit>;
    readonly readers: readonly PipeReader[];
  }): Running {
    const { id, pid, exited, readers } = parts;
    return {
      pid,
      exited,
      drained: Promise.all(readers.map((reader) => reader.ended)).then(() => undefined),
      release: () => readers.forEach((reader) => reader.release()),
      unref: () => {
        readers.forEach((reader) => reader.unref());
        this.#release(id);
      },
    };
  }
}

/** Without a writer yet, so that it must not wait for one. */
function openReader(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
