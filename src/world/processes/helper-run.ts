import { closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../contract/errors.js";
import { countChildren, type EndedUsage } from "./children-usage.js";
import { createFifoPool, type FifoPool } from "./fifo-pool.js";
import { startHelper, type Helper, type HelperReport } from "./helper.js";
import type { CommandEntry, HelperRunOptions, StartedCommand } from "./helper-run-types.js";
import type { CommandGroup } from "../sandbox/command-group.js";
import { cannotStart, HelperLostError, missingFolder, startTimedOut } from "./launch-errors.js";
import type { Exit, Launch, OutputSink, OutputStream, Running } from "./launch.js";
import { areLost } from "./lost-processes.js";
import { holdInputFifo } from "./input-fifo.js";
import { readPipe, type PipeReader } from "./pipe-reader.js";
import { shellQuote } from "../../command/shell-quote.js";
import { createStandbyPool, type StandbyPool, type AssignedStandby } from "./standby-pool.js";
import { buildStartScript, type CommandFifos } from "./start-script.js";
import { widenWhenBusy } from "./widen-pipe.js";

/** Long enough for a machine under load, and shorter than people would wait. */
const startMs = 10_000;
const reportMs = 200;

/** One helper process and the commands that it started, which may outlive it. */
export class HelperRun {
  readonly #dir: string;
  readonly #helper: Helper;
  readonly #fifos: FifoPool;
  readonly #entries = new Map<number, CommandEntry>();
  /** Commands that keep the host process alive. */
  readonly #holding = new Set<number>();
  readonly #standbys: StandbyPool;
  readonly #options: HelperRunOptions;
  /** The ids of commands by the serial of the standby that they started as. */
  readonly #idBySerial = new Map<number, number>();
  /** File descriptors that bash opened for itself. */
  readonly #bashFds: number[] = [];
  #takeUsage: (() => EndedUsage | undefined) | undefined;
  #nextId = 0;
  #closing = false;

  constructor(options: HelperRunOptions, onDeath: () => void) {
    this.#dir = mkdtempSync(join(options.tempDir, "tenon-"));
    this.#helper = startHelper({
      bash: options.bash,
      dir: this.#dir,
      tag: options.tag,
      adoptOrphans: options.adoptOrphans(),
      onReport: (report) => this.#handleReport(report),
      onExit: () => {
        this.#failUnstarted();
        if (!this.#closing && this.#entries.size > 0) onDeath();
      },
    });
    this.#options = options;
    const dirs = options.groupDirs();
    const words = (paths: readonly string[]): string => paths.map(shellQuote).join(" ");
    this.#helper.send(`groups=(${words(dirs)}) leftovers=(${words(options.leftovers())})`);
    this.#fifos = createFifoPool(this.#dir, (first, last) => this.#helper.send(`fifos ${first} ${last} &`));
    this.#standbys = createStandbyPool({
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
    this.#takeUsage ??= countChildren(() => this.#helper.pid);
    this.#hold(id);
    try {
      const [first = "", second = "", third] = await this.#takeFifos(launch.hasInput === true ? 3 : 2);
      const paths = [first, second] as const;
      const out = openReader(first);
      const err = openReader(second);
      const fifo = third === undefined ? undefined : holdInputFifo(third);
      const started = await this.#start(id, launch, { outputs: paths, input: fifo?.path })
        .catch((error: unknown) => {
          for (const fd of [out, err]) closeSync(fd);
          fifo?.close();
          for (const path of paths) this.#removeFile(path);
          throw error;
        })
        .finally(() => {
          for (const { fd } of launch.fds ?? []) this.#removeFile(join(this.#dir, `${id}-${fd}`));
        });
      const runScript = (script: string): void => this.#helper.send(script);
      const read = (fd: number, path: string, stream: OutputStream): PipeReader =>
        readPipe(fd, widenWhenBusy({ path, runScript, onBytes: (bytes) => sink(stream, bytes) }));
      const readers = [read(out, first, "stdout"), read(err, second, "stderr")];
      readers.forEach((reader, at) => void this.#reuse(reader, paths[at] ?? ""));
      void this.#detectUnreportedEnd(id, readers);
      return this.#toRunning({ id, ...started, readers, input: fifo?.connect() });
    } catch (error) {
      this.#forget(id);
      throw error instanceof ToolError ? error : cannotStart(launch.file, error);
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#standbys.close();
    // When nothing runs, it does not have to search for leftover processes.
    if (this.#entries.size === 0) this.#helper.send("quit");
    await this.#helper.end();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** The helper creates them; if the system does not let it fork, it never does. */
  async #takeFifos(count: number): Promise<readonly string[]> {
    const taking = Promise.all(Array.from({ length: count }, () => this.#fifos.take()));
    const timer = setTimeout(() => this.#abandonHelper(), startMs);
    try {
      return await taking;
    } finally {
      clearTimeout(timer);
    }
  }

  /** It has not answered in time and is stuck: a new helper is started next time. */
  #abandonHelper(): void {
    this.#fifos.fail(startTimedOut(startMs));
    this.#helper.kill();
  }

  #start(id: number, launch: Launch, fifos: CommandFifos): Promise<StartedCommand> {
    const files = (launch.fds ?? []).map(({ fd, data }) => ({
      fd,
      path: this.#writeDataFile(`${id}-${fd}`, data),
    }));
    return new Promise((resolve, reject) => {
      let standby: AssignedStandby | undefined;
      let group: CommandGroup | undefined;
      const entry: CommandEntry = {
        cwd: launch.cwd,
        pid: 0,
        waiter: 0,
        started: () => {},
        failed: () => {},
        ended: () => {},
      };
      const exited = new Promise<Exit>((ended) => (entry.ended = ended));
      const stuck = setTimeout(() => {
        // The start was given up: if the command starts later, it is stopped.
        entry.started = (pid) =>
          this.#options.onLate(this.#toRunning({ id, pid, exited, group, readers: [] }));
        entry.failed = () => {};
        this.#abandonHelper();
        reject(startTimedOut(startMs));
      }, startMs);
      entry.started = (pid) => {
        clearTimeout(stuck);
        if (standby !== undefined) this.#fifos.giveBack(standby.path);
        resolve({ pid, exited, group });
      };
      entry.failed = (error) => {
        clearTimeout(stuck);
        group?.remove();
        reject(error);
      };
      this.#entries.set(id, entry);
      const script = buildStartScript({ id, launch, fifos, files, helperFds: this.#bashFds });
      standby = this.#standbys.send(script);
      group = standby === undefined ? this.#options.openGroup() : standby.group;
      if (standby !== undefined) {
        this.#idBySerial.set(standby.serial, id);
        entry.waiter = standby.waiter;
        return;
      }
      const joins = (group?.joins ?? []).map(shellQuote).join(" ");
      this.#helper.send(`run ${id} ${shellQuote(script)} ${joins} &`);
      if (!this.alive) this.#failUnstarted();
    });
  }

  /** A fifo that every writer has closed is reused; one that a process still holds open is removed. */
  async #reuse(reader: PipeReader, path: string): Promise<void> {
    await reader.ended;
    if (reader.atEnd) this.#fifos.giveBack(path);
    else this.#removeFile(path);
  }

  #removeFile(path: string): void {
    try {
      unlinkSync(path);
    } catch {
      // It was removed with its folder.
    }
  }

  /** Written synchronously: the data is small and stays in memory or in the page cache. */
  #writeDataFile(name: string, data: Uint8Array): string {
    const path = join(this.#dir, name);
    writeFileSync(path, data, { mode: 0o600 });
    return path;
  }

  #handleReport({ kind, id, value }: HelperReport): void {
    if (kind === "f") {
      this.#fifos.add(id, value);
      if (this.#holding.size === 0) this.#helper.hold(false);
      return;
    }
    if (kind === "h") this.#bashFds.push(id);
    if (kind === "s") this.#standbys.ready(id, value);
    if (kind === "y") this.#handleEnd(this.#idBySerial.get(id), value);
    if (kind === "x") this.#handleEnd(id, value);
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (kind === "w") entry.waiter = value;
    if (kind === "p") {
      entry.pid = value;
      entry.started(value);
    } else if (kind === "d") entry.failed(missingFolder(entry.cwd));
    else if (kind === "o") entry.failed(new HelperLostError());
  }

  #handleEnd(id: number | undefined, code: number): void {
    this.#standbys.refill();
    const entry = id === undefined ? undefined : this.#entries.get(id);
    if (id === undefined || entry === undefined) return;
    this.#forget(id);
    // It ended before it became the command, so the start has failed.
    if (entry.pid === 0) entry.failed(new HelperLostError());
    entry.ended({ code, signal: null });
  }

  /** The helper has exited: commands that do not report their start soon were never started. */
  #failUnstarted(): void {
    this.#fifos.fail(new HelperLostError());
    const waiting = [...this.#entries.values()].filter((entry) => entry.pid === 0);
    if (waiting.length === 0) return;
    setTimeout(() => {
      for (const entry of waiting) if (entry.pid === 0) entry.failed(new HelperLostError());
    }, reportMs);
  }

  /** If the process that waits for a command was killed, nothing reports the end. */
  async #detectUnreportedEnd(id: number, readers: readonly PipeReader[]): Promise<void> {
    await Promise.all(readers.map((reader) => reader.ended));
    const entry = this.#entries.get(id);
    if (entry === undefined || !(await areLost(entry, () => !this.#entries.has(id)))) return;
    this.#forget(id);
    entry.ended({ code: null, signal: null });
  }

  #hold(id: number): void {
    this.#holding.add(id);
    this.#helper.hold(true);
  }

  #release(id: number): void {
    this.#holding.delete(id);
    if (this.#holding.size === 0) this.#helper.hold(false);
  }

  #forget(id: number): void {
    this.#entries.delete(id);
    for (const [serial, each] of this.#idBySerial) if (each === id) this.#idBySerial.delete(serial);
    this.#release(id);
  }

  #toRunning(
    parts: StartedCommand &
      Pick<Running, "input"> & { readonly id: number; readonly readers: readonly PipeReader[] },
  ): Running {
    const { id, pid, exited, group, readers, input } = parts;
    return {
      pid,
      exited,
      group,
      input,
      drained: Promise.all(readers.map((reader) => reader.ended)).then(() => undefined),
      takeUsage: () => this.#takeUsage?.(),
      release: () => readers.forEach((reader) => reader.release()),
      unref: () => {
        readers.forEach((reader) => reader.unref());
        this.#release(id);
      },
    };
  }
}

/** Opened without blocking, because there is no writer yet. */
function openReader(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}
