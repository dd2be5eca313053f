import {
  ToolExecutionError,
  ToolResourceNotFoundError,
  ToolUnavailableError,
} from "../../contract/errors.js";
import type { CommandRequest, JobInfo, JobOutput, JobState } from "../../contract/ports/processes.js";
import { lookAtJob } from "./job-state.js";
import type { Running } from "./launch.js";
import { createOutputCollector, windowBytes, type OutputCollector } from "./output-collector.js";
import { createOutputWindow, type OutputWindow } from "./output-window.js";
import type { PreparedCommand } from "./prepare-command.js";
import {
  drainAfterExit,
  killMs,
  limitWarnings,
  startCommand,
  treeOf,
  within,
  type RunParts,
} from "./run-command.js";
import { graceMs, stopTree, type DoomedTree } from "./stop-tree.js";
import { watchTree } from "./watch-tree.js";

/** What starting a job needs. */
export type JobParts = RunParts & { readonly now: () => number };

interface Job {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
  readonly tree: DoomedTree;
  readonly sandbox: JobInfo["sandbox"];
  readonly callId: string;
  readonly held: () => JobInfo["heldBack"];
  readonly collector: OutputCollector;
  readonly unread: { readonly stdout: OutputWindow; readonly stderr: OutputWindow };
  /** What else is to be known about it. */
  readonly notes: string[];
  /** Settles when it has ended and everything is read. */
  readonly over: Promise<void>;
  exited?: Extract<JobState, { kind: "exited" }>;
}

interface JobProcess {
  readonly running: Running;
  readonly command: PreparedCommand;
  readonly tree: DoomedTree;
}

const maxRunning = 16;
const maxEnded = 32;
/** Long enough to see a command fail at once. */
const firstLookMs = 150;

/** The background jobs of one session. */
export class Jobs {
  readonly #jobs = new Map<string, Job>();
  #starting = 0;
  #count = 0;
  #closed = false;

  async start(parts: JobParts, request: CommandRequest): Promise<JobInfo> {
    const running = [...this.#jobs.values()].filter((job) => job.exited === undefined);
    if (running.length + this.#starting >= maxRunning) throw tooMany();
    this.#starting += 1;
    try {
      const job = await this.#open(parts, request);
      await Promise.race([job.over, new Promise((resolve) => setTimeout(resolve, firstLookMs))]);
      return await infoOf(job);
    } finally {
      this.#starting -= 1;
    }
  }

  list(): Promise<readonly JobInfo[]> {
    return Promise.all([...this.#jobs.values()].map(infoOf));
  }

  async output(id: string): Promise<JobOutput> {
    const job = this.#find(id);
    if (job.exited !== undefined) await job.over;
    // The state first: what is said about the end must not be older than the output.
    const info = await infoOf(job);
    const stdout = job.unread.stdout.take();
    const stderr = job.unread.stderr.take();
    const { handle } = job.collector;
    return {
      ...info,
      stdout: stdout.text,
      stderr: stderr.text,
      truncated: stdout.truncated || stderr.truncated,
      ...(handle !== undefined && { handle }),
    };
  }

  async kill(id: string): Promise<JobInfo> {
    const job = this.#find(id);
    if (job.exited === undefined) {
      // What even SIGKILL does not end is not waited for.
      await within(stopTree(job.tree), graceMs + killMs);
      await within(job.over, killMs);
    }
    return infoOf(job);
  }

  /** Stop them all; no more can be started. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#jobs.keys()].map((id) => this.kill(id)));
  }

  async #open(parts: JobParts, request: CommandRequest): Promise<Job> {
    const unread = {
      stdout: createOutputWindow(windowBytes, windowBytes),
      stderr: createOutputWindow(windowBytes, windowBytes),
    };
    const collector = createOutputCollector(parts.outputs, (stream, bytes) => unread[stream].push(bytes));
    const { command, running } = await startCommand({ ...parts, background: true }, request, collector);
    running.unref();
    const tree = treeOf(command, running);
    if (this.#closed || parts.signal.aborted) {
      await stopTree(tree);
      running.release();
      running.group?.remove();
      collector.abort();
      await command.settle();
      throw parts.signal.aborted ? parts.signal.reason : new ToolExecutionError("The session is over.");
    }
    const job: Job = {
      id: `job_${(this.#count += 1)}`,
      command: request.command,
      startedAt: parts.now(),
      tree,
      sandbox: command.sandbox,
      callId: parts.origin().callId,
      held: command.held,
      collector,
      unread,
      notes: [],
      over: this.#follow({ running, command, tree }, parts, (note) => job.notes.push(note)).then(
        async (exited) => {
          job.exited = exited;
          await collector.finish();
          job.notes.push(...(await command.settle()).warnings);
          this.#forgetOld();
        },
      ),
    };
    this.#jobs.set(job.id, job);
    return job;
  }

  async #follow(
    { running, command, tree }: JobProcess,
    parts: JobParts,
    note: (text: string) => void,
  ): Promise<NonNullable<Job["exited"]>> {
    const watch = watchTree(running.pid, command.bounds, (limit) => {
      note(`It was stopped: ${limit}.`);
      parts.chore(stopTree(tree));
    });
    const { code, signal } = await running.exited;
    watch.stop();
    limitWarnings(running, command).forEach(note);
    await drainAfterExit(running, tree, parts);
    return { kind: "exited", exitCode: code, signal };
  }

  #find(id: string): Job {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    const known = [...this.#jobs.keys()];
    throw new ToolResourceNotFoundError(`Job "${id.slice(0, 64)}" not found in this session.`, {
      hint: known.length === 0 ? "This session has no jobs." : `There are: ${known.slice(-20).join(", ")}.`,
    });
  }

  #forgetOld(): void {
    const ended = [...this.#jobs.values()].filter((job) => job.exited !== undefined);
    for (const job of ended.slice(0, -maxEnded)) this.#jobs.delete(job.id);
  }
}

async function infoOf(job: Job): Promise<JobInfo> {
  const seen = job.exited ?? (await lookAtJob(job.tree));
  return {
    jobId: job.id,
    command: job.command,
    pid: job.tree.pid,
    startedAt: job.startedAt,
    state: job.exited ?? seen, // it may have ended meanwhile
    sandbox: job.sandbox,
    ...(job.notes.length > 0 && { notes: [...job.notes] }),
    callId: job.callId,
    heldBack: job.held(),
  };
}

function tooMany(): ToolUnavailableError {
  return new ToolUnavailableError(`This session runs ${maxRunning} background jobs already.`, {
    code: "QUEUE_FULL",
    hint: "Stop one with shell_kill first.",
  });
}
