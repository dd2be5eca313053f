import { closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../contract/errors.js";
import { createFifoPool, type FifoPool } from "./fifo-pool.js";
import { startHelper, type Helper, type Report } from "./helper.js";
import type { Entry, HelperRunOptions, Started } from "./helper-run-types.js";
import type { CommandGroup } from "../sandbox/command-group.js";
import { cannotStart, HelperLostError, missingFolder, startTimedOut } from "./launch-errors.js";
import type { Exit, Launch, OutputSink, Running } from "./launch.js";
import { readPipe, type PipeReader } from "./pipe-reader.js";
import { shellQuote } from "./shell-quote.js";
import { createStandbys, type Standbys, type Taken } from "./standbys.js";
import { startRequest } from "./start-request.js";

/** Longer than a machine under load takes, and shorter than people wait. */
export const startMs = 10_000;
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
  readonly #standbys: Standbys;
  readonly #options: HelperRunOptions;
  /** Commands by the standby that they were. */
  readonly #bySerial = new Map<number, number>();
  /** Descriptors of bash's own. */
  readonly #foreign: number[] = [];
  #nextId = 0;
  #closing = false;

  constructor(options: HelperRunOptions, onDeath: () => void) {
    this.#dir = mkdtempSync(join(options.tempDir, "tenon-"));
    this.#helper = startHelper({
      bash: options.bash,
      dir: this.#dir,
      tag: options.tag,
      adoptOrphans: options.adoptOrphans(),
      onReport: (report) => this.#report(report),
      onExit: () => {
        this.#lost();
        if (!this.#closing && this.#entries.size > 0) onDeath();
      },
    });
    this.#options = options;
    const dirs = options.groupDirs();
    const words = (paths: readonly string[]): string => paths.map(shellQuote).join(" ");
    this.#helper.send(`groups=(${words(dirs)}) leftovers=(${words(options.leftovers())})`);
    this.#fifos = createFifoPool(this.#dir, (first, last) => this.#helper.send(`fifos ${first} ${last} &`));
    this.#standbys = createStandbys({
      fifos: this.#fifos,
      openGroup: options.openGroup,
      start: ({ fifo, serial, joins }) =>
        this.#helper.send(`standby ${fifo} ${serial} ${joins.map(shellQuote).join(" ")} &`),
    });
  }

  get pid(): number | undefined {
    return this.#helper.pid;
  }

  get alive(): boolean {
    return this.#helper.alive;
  }

  async launch(launch: Launch, sink: OutputSink): Promise<Running> {
    const id = (this.#nextId += 1);
    this.#hold(id);
    try {
      const paths = await this.#takeFifos();
      const out = openReader(paths[0]);
      const err = openReader(paths[1]);
      const started = await this.#start(id, launch, paths)
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
      return this.#toRunning({ id, ...started, readers });
    } catch (error) {
      this.#leave(id);
      throw error instanceof ToolError ? error : cannotStart(launch.file, error);
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#standbys.close();
    // Where nothing runs it need not look for what is left.
    if (this.#entries.size === 0) this.#helper.send("quit");
    await this.#helper.end();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** The helper makes them; where the system lets it fork nothing, it never does. */
  async #takeFifos(): Promise<readonly [string, string]> {
    const taking = Promise.all([this.#fifos.take(), this.#fifos.take()]);
    const timer = setTimeout(() => this.#giveUp(), startMs);
    try {
      return await taking;
    } finally {
      clearTimeout(timer);
    }
  }

  /** It has not answered for long: it is stuck, and a new one is started next time. */
  #giveUp(): void {
    this.#fifos.fail(startTimedOut(startMs));
    this.#helper.kill();
  }

  #start(id: number, launch: Launch, fifos: readonly [string, string]): Promise<Started> {
    const files = (launch.fds ?? []).map(({ fd, data }) => ({ fd, path: this.#fileOf(`${id}-${fd}`, data) }));
    return new Promise((resolve, reject) => {
      let taken: Taken | undefined;
      let group: CommandGroup | undefined;
      const entry: Entry = { cwd: launch.cwd, pid: 0, started: () => {}, failed: () => {}, ended: () => {} };
      const exited = new Promise<Exit>((ended) => (entry.ended = ended));
      const stuck = setTimeout(() => {
        // Whatever comes of it later is not wanted any more.
        entry.started = (pid) =>
          this.#options.onLate(this.#toRunning({ id, pid, exited, group, readers: [] }));
        entry.failed = () => {};
        this.#giveUp();
        reject(startTimedOut(startMs));
      }, startMs);
      entry.started = (pid) => {
        clearTimeout(stuck);
        if (taken !== undefined) this.#fifos.giveBack(taken.path);
        resolve({ pid, exited, group });
      };
      entry.failed = (error) => {
        clearTimeout(stuck);
        group?.remove();
        reject(error);
      };
      this.#entries.set(id, entry);
      const script = startRequest({ id, launch, fifos, files, foreign: this.#foreign });
      taken = this.#standbys.send(script);
      group = taken === undefined ? this.#options.openGroup() : taken.group;
      if (taken !== undefined) {
        this.#bySerial.set(taken.serial, id);
        return;
      }
      const joins = (group?.joins ?? []).map(shellQuote).join(" ");
      this.#helper.send(`run ${id} ${shellQuote(script)} ${joins} &`);
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
    if (kind === "s") this.#standbys.ready(id, value);
    if (kind === "y") this.#ended(this.#bySerial.get(id), value);
    if (kind === "x") this.#ended(id, value);
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (kind === "p") {
      entry.pid = value;
      entry.started(value);
    } else if (kind === "d") entry.failed(missingFolder(entry.cwd));
    else if (kind === "o") entry.failed(new HelperLostError());
  }

  #ended(id: number | undefined, code: number): void {
    this.#standbys.refill();
    const entry = id === undefined ? undefined : this.#entries.get(id);
    if (id === undefined || entry === undefined) return;
    this.#leave(id);
    // It ended on its way to becoming the command: whoever waits for its start hears that.
    if (entry.pid === 0) entry.failed(new HelperLostError());
    entry.ended({ code, signal: null });
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
    for (const [serial, each] of this.#bySerial) if (each === id) this.#bySerial.delete(serial);
    this.#release(id);
  }

  #toRunning(parts: Started & { readonly id: number; readonly readers: readonly PipeReader[] }): Running {
    const { id, pid, exited, group, readers } = parts;
    return {
      pid,
      exited,
      group,
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
