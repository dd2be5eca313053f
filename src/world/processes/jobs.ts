import { settlesWithin } from "../../contract/system-clock.js";
import {
  ToolExecutionError,
  ToolResourceNotFoundError,
  ToolUnavailableError,
  ToolValidationError,
} from "../../contract/errors.js";
import type {
  CommandRequest,
  JobInfo,
  JobInput,
  JobOutput,
  JobState,
} from "../../contract/ports/processes.js";
import { messageOf } from "../../contract/message-of.js";
import { readJobState } from "./job-state.js";
import { createOutputCollector, windowBytes, type OutputCollector } from "./output-collector.js";
import { createOutputWindow, type OutputWindow } from "./output-window.js";
import { limitWarnings } from "./limit-warnings.js";
import { feedInput, type ProcessInput } from "./process-input.js";
import type { ProcessTree } from "./process-table.js";
import { createRecentOutput, type OutputPart, type RecentOutput } from "./recent-output.js";
import {
  abandonCommand,
  killWaitMs,
  startCommand,
  processTreeOf,
  type RunDeps,
  type StartedCommand,
} from "./run-command.js";
import { graceMs, stopTree } from "./stop-tree.js";
import { watchTree } from "./watch-tree.js";
import { drainAfterExit } from "./drain-after-exit.js";

interface Job {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
  readonly tree: ProcessTree;
  readonly sandbox: JobInfo["sandbox"];
  readonly callId: string;
  readonly pty: boolean;
  readonly cwd: string;
  readonly input: ProcessInput | undefined;
  readonly heldBack: () => JobInfo["heldBack"];
  readonly networkUse: () => JobInfo["network"];
  readonly collector: OutputCollector;
  readonly unread: { readonly stdout: OutputWindow; readonly stderr: OutputWindow };
  readonly recent: RecentOutput;
  /** Messages about it, such as a limit that it exceeded. */
  readonly notes: string[];
  /** Settles when it has ended and all of its output was read. */
  readonly finished: Promise<void>;
  exited?: Extract<JobState, { kind: "exited" }>;
}

/** What a page that opens a job sees of its earlier output. */
const recentBytes = 64 * 1024;
const maxRunning = 16;
const maxEnded = 32;
/** How long a job may take to read what is typed. */
const typeMs = 5000;
/** Long enough to notice a command that fails immediately. */
const firstCheckMs = 150;

/** A job that has not ended. */
export interface RunningJob {
  readonly jobId: string;
  readonly command: string;
}

/** The background jobs of one session. */
export class Jobs {
  readonly #jobs = new Map<string, Job>();
  #starting = 0;
  #count = 0;
  #closed = false;

  async start(parts: RunDeps, request: CommandRequest): Promise<JobInfo> {
    const running = [...this.#jobs.values()].filter((job) => job.exited === undefined);
    if (running.length + this.#starting >= maxRunning) throw tooManyJobs();
    this.#starting += 1;
    try {
      const job = await this.#open(parts, request);
      await settlesWithin(job.finished, firstCheckMs);
      return await readJobInfo(job);
    } finally {
      this.#starting -= 1;
    }
  }

  running(): readonly RunningJob[] {
    const jobs = [...this.#jobs.values()].filter((job) => job.exited === undefined);
    return jobs.map(({ id, command }) => ({ jobId: id, command }));
  }

  list(): Promise<readonly JobInfo[]> {
    return Promise.all([...this.#jobs.values()].map(readJobInfo));
  }

  async output(id: string): Promise<JobOutput> {
    const job = this.#find(id);
    if (job.exited !== undefined) await job.finished;
    // Read the state first, so that an exited job never has output that arrives later.
    const info = await readJobInfo(job);
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

  /** What it wrote after a position, for a person who follows it. */
  follow(id: string, since: number): OutputPart {
    return this.#find(id).recent.read(since);
  }

  async type(id: string, { text, end = false }: JobInput): Promise<JobInfo> {
    const job = this.#find(id);
    const { input } = job;
    if (job.exited !== undefined) throw cannotType(job, "it has ended");
    if (input?.isOpen !== true) throw cannotType(job, "its input is closed");
    const typing = input.write(text).catch(() => {
      throw cannotType(job, "it no longer reads its input");
    });
    if (!(await settlesWithin(typing, typeMs)))
      throw cannotType(job, "it has not read what was typed so far");
    if (end) input.end();
    return readJobInfo(job);
  }

  async kill(id: string): Promise<JobInfo> {
    const job = this.#find(id);
    if (job.exited === undefined) {
      // Do not wait for a process that survives even SIGKILL.
      await settlesWithin(stopTree(job.tree), graceMs + killWaitMs);
      await settlesWithin(job.finished, killWaitMs);
    }
    return readJobInfo(job);
  }

  /** Stop all jobs; no more can be started. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#jobs.keys()].map((id) => this.kill(id)));
  }

  async #open(parts: RunDeps, request: CommandRequest): Promise<Job> {
    const unread = {
      stdout: createOutputWindow(windowBytes, windowBytes),
      stderr: createOutputWindow(windowBytes, windowBytes),
    };
    const recent = createRecentOutput(recentBytes);
    const collector = createOutputCollector(parts.outputs, (stream, bytes) => {
      unread[stream].push(bytes);
      recent.push(bytes);
    });
    const { command, running } = await startCommand({ ...parts, background: true }, request, collector);
    running.unref();
    feedInput(running.input, request.stdin);
    const tree = processTreeOf(command, running);
    if (this.#closed || parts.signal.aborted) {
      await abandonCommand({ command, running });
      collector.abort();
      throw parts.signal.aborted ? parts.signal.reason : new ToolExecutionError("The session has ended.");
    }
    const job: Job = {
      id: `job_${(this.#count += 1)}`,
      command: request.command,
      startedAt: parts.now(),
      tree,
      sandbox: command.sandbox,
      callId: parts.origin().callId,
      pty: request.pty === true,
      cwd: command.launch.cwd,
      input: running.input,
      heldBack: command.heldBack,
      networkUse: command.networkUse,
      collector,
      unread,
      recent,
      notes: [],
      finished: this.#follow({ running, command, tree }, parts, (note) => job.notes.push(note)).then(
        async (exited) => {
          job.exited = exited;
          // Otherwise the pipe would stay open: nothing else tells that nobody reads it any more.
          if (!job.pty) running.input?.end();
          await collector.finish();
          job.notes.push(...(await command.finish()).warnings);
          await this.#report(job, parts);
          this.#forgetOld();
        },
      ),
    };
    this.#jobs.set(job.id, job);
    return job;
  }

  async #follow(
    { running, command, tree }: StartedCommand & { readonly tree: ProcessTree },
    parts: RunDeps,
    note: (text: string) => void,
  ): Promise<NonNullable<Job["exited"]>> {
    const watch = watchTree(running.pid, command.treeLimits, (limit) => {
      note(`The job was stopped: ${limit}.`);
      parts.trackBackground(stopTree(tree));
    });
    const { code, signal } = await running.exited;
    await watch.stop();
    limitWarnings(running, command).forEach(note);
    await drainAfterExit(running, tree, parts);
    return { kind: "exited", exitCode: code, signal };
  }

  async #report(job: Job, { onJobEnded }: RunDeps): Promise<void> {
    try {
      await onJobEnded?.(await readJobInfo(job));
    } catch (error) {
      job.notes.push(`The hosts that it reached could not be recorded in the log: ${messageOf(error)}.`);
    }
  }

  #find(id: string): Job {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    const known = [...this.#jobs.keys()];
    throw new ToolResourceNotFoundError(`Job "${id.slice(0, 64)}" not found in this session.`, {
      hint:
        known.length === 0
          ? "This session has no jobs."
          : `Jobs of this session: ${known.slice(-20).join(", ")}.`,
    });
  }

  #forgetOld(): void {
    const ended = [...this.#jobs.values()].filter((job) => job.exited !== undefined);
    for (const job of ended.slice(0, -maxEnded)) this.#jobs.delete(job.id);
  }
}

async function readJobInfo(job: Job): Promise<JobInfo> {
  const state = job.exited ?? (await readJobState(job.tree));
  return {
    jobId: job.id,
    command: job.command,
    pid: job.tree.pid,
    startedAt: job.startedAt,
    state: job.exited ?? state, // it may have ended in the meantime
    sandbox: job.sandbox,
    ...(job.notes.length > 0 && { notes: [...job.notes] }),
    callId: job.callId,
    pty: job.pty,
    cwd: job.cwd,
    heldBack: job.heldBack(),
    network: job.networkUse(),
  };
}

function cannotType({ id }: Job, reason: string): ToolValidationError {
  return new ToolValidationError(`Nothing can be typed into job "${id}": ${reason}.`, {
    code: "VALUE_INVALID",
    hint: "shell_output shows its output and how it ended. Start it again to type into it.",
  });
}

function tooManyJobs(): ToolUnavailableError {
  return new ToolUnavailableError(
    `This session already has ${maxRunning} running background jobs, the maximum.`,
    {
      code: "QUEUE_FULL",
      hint: "Stop one with shell_kill first.",
    },
  );
}
