import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { messageOf } from "../../contract/message-of.js";
import type { ConfinedProgram } from "../../contract/ports/upstream.js";
import { LineReader, type OversizedLine } from "../../wire/line-reader.js";
import { afterOutput, endProcess, signalGroup } from "./end-process.js";
import { guardProcess, guardVariable, type ProcessGuard } from "./guard-process.js";
import { LossyMessages, lossyKindOf, lossyMethods, type LossyKind } from "./lossy-messages.js";
import { errorLine, excerpt, parseMessages } from "./parse-messages.js";
import { createFloodGate, type FloodGate } from "./flood-gate.js";
import type { DirectRequests } from "./direct-requests.js";
import {
  prepareProgram,
  spawnProgram,
  whyNotStarted,
  type ProgramOptions,
  type ProgramSpec,
} from "./start-program.js";
import { tooLongAnswer } from "./too-long-answer.js";

/** How much may wait for a program that does not read. */
const maxUnreadBytes = 64 * 1024 * 1024;
/** How much may still be in the pipes of a process that has ended. */
const drainMs = 250;

/**
 * Speaks MCP with a program on its standard streams. It differs from the SDK's transport in what it
 * survives: noise, floods and huge lines; and the whole process group ends with it.
 */
export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  /** With `pid` the mark by which the SDK knows a transport over pipes. */
  readonly stderr = null;
  /** Why the connection ended, where the program ended it. */
  ended: string | undefined;
  /** Takes its answers before the SDK sees them. */
  direct: DirectRequests | undefined;
  readonly #spec: ProgramSpec;
  readonly #options: ProgramOptions;
  readonly #gate = createFloodGate(() => performance.now());
  readonly #lossy: LossyMessages;
  readonly #lossyFlood = createFloodGate(() => performance.now(), { maxMessages: 20_000 });
  #child: ChildProcess | undefined;
  #confined: ConfinedProgram | undefined;
  #guard: ProcessGuard | undefined;
  #closing: Promise<void> | undefined;
  #over = false;
  #lastWords = "";
  #unsent = "";
  #probe: string | number | undefined;
  #lateProbe: string | number | undefined;
  /** Set while a notification may not have been looked at yet. */
  #told: NodeJS.Immediate | undefined;
  readonly #answers: JSONRPCMessage[] = [];

  constructor(spec: ProgramSpec, options: ProgramOptions) {
    this.#spec = spec;
    this.#options = options;
    this.#lossy = new LossyMessages(() => performance.now(), options.onFault);
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, cwd } = this.#spec;
    const mark = randomBytes(9).toString("hex");
    const { launch, confined } = await prepareProgram(this.#spec, this.#options.confine).catch(
      (error: unknown) => {
        this.ended = messageOf(error);
        throw error;
      },
    );
    this.#confined = confined;
    if (this.#over) {
      await this.#release();
      throw new Error(this.ended ?? "it was closed before it was started");
    }
    const child = spawnProgram(launch, { [guardVariable]: mark });
    this.#child = child;
    this.#guard = guardProcess(child.pid, mark);
    if (child.pid !== undefined) this.#confined?.started(child.pid);
    this.#read(child);
    // A process that has nothing left to do may end; while something is asked, the asking keeps it alive.
    child.unref();
    for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as Socket | null)?.unref();
    child.stdin?.on("error", () => this.#onHalfClosed("it no longer reads its standard input"));
    child.stdout?.once("end", () => this.#onHalfClosed("it closed its standard output"));
    child.once("exit", (code, signal) => this.#onExit(child, code, signal));
    return new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => {
        this.ended = whyNotStarted(error, { command, cwd });
        reject(error);
        this.#finish();
        void this.#release();
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message && "id" in message) this.#noteProbe(message);
    this.sendText(JSON.stringify(message));
  }

  /** Send a serialized message; throws where the program cannot take it. */
  sendText(text: string): void {
    const stdin = this.#child?.stdin;
    if (this.#over || !stdin?.writable) throw new Error(this.ended ?? "the program is gone");
    if (stdin.writableLength > maxUnreadBytes) throw new Error("the program does not read its input");
    if (this.#unsent === "") setImmediate(() => this.#flush());
    this.#unsent += `${text}\n`;
  }

  /** Messages of one turn of the event loop leave in one write. */
  #flush(): void {
    const text = this.#unsent;
    this.#unsent = "";
    if (text !== "") this.#child?.stdin?.write(text);
  }

  /** Keep this process running while an answer is waited for. */
  setBusy(busy: boolean): void {
    const stdout = this.#child?.stdout as Socket | null | undefined;
    if (busy) stdout?.ref();
    else stdout?.unref();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    this.#flush();
    this.#finish();
    if (child !== undefined) await endProcess(child, { leaveMs: 400, termMs: 1500 });
    this.#guard?.dismiss();
    await this.#release();
  }

  /** What the sandbox holds for the program is given back once, when its processes are gone. */
  async #release(): Promise<void> {
    const confined = this.#confined;
    this.#confined = undefined;
    try {
      await confined?.finish();
    } catch (error) {
      this.#options.onFault(`its sandbox could not be closed: ${messageOf(error)}`);
    }
  }

  /** Once the older greeting is sent, the answer to the newer one counts no more; a slow program may still give it. */
  #noteProbe({ method, id }: { readonly method: string; readonly id: string | number }): void {
    if (method === "server/discover") this.#probe = id;
    else if (method === "initialize") this.#lateProbe = this.#probe;
  }

  #read(child: ChildProcess): void {
    const reader = new LineReader(this.#options.maxMessageBytes, {
      onLine: (line) => this.#onLine(line),
      onTooLong: (line) => this.#onTooLong(line),
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      if (!this.#over) reader.push(chunk);
    });
    const words = new LineReader(4096, {
      onLine: (line) => this.#onWords(line),
      onTooLong: ({ head }) => this.#onWords(`${head}…`),
    });
    child.stderr?.on("data", (chunk: Buffer) => words.push(chunk));
    child.stdout?.on("error", () => {});
    child.stderr?.on("error", () => {});
  }

  #onLine(line: string): void {
    // Most messages of a flood are dropped without being parsed.
    const lossy = lossyKindOf(line);
    if (lossy !== undefined && this.#drops(lossy)) return;
    if (this.#confined !== undefined && errorLine.test(line)) this.#confined.heard(line);
    const messages = parseMessages(line, this.#options.onFault);
    if (messages === undefined) {
      this.#options.onFault(
        `it wrote something to its standard output that is not a message: ${excerpt(line)}`,
      );
      this.#slowDown(this.#gate);
      return;
    }
    for (const message of messages) {
      const isExpected = "id" in message && this.#options.sendsRequests === true;
      const kind = "method" in message ? lossyMethods.get(message.method) : undefined;
      if (kind !== undefined) {
        if (lossy === undefined && this.#drops(kind)) continue;
      } else if ("method" in message && !isExpected) this.#slowDown(this.#gate);
      if (this.direct?.takeProgress(message) !== true) this.#inOrder(message);
    }
  }

  /**
   * The SDK looks at a notification a moment after it came, at an answer at once: an answer that comes together
   * with the last progress of its call would overtake it.
   */
  #inOrder(message: JSONRPCMessage): void {
    const isAnswer = !("method" in message);
    if (isAnswer && this.#told !== undefined) {
      this.#answers.push(message);
      return;
    }
    this.#deliver(message);
    if (!isAnswer && !("id" in message)) this.#told ??= setImmediate(() => this.#releaseAnswers());
  }

  #releaseAnswers(): void {
    clearImmediate(this.#told);
    this.#told = undefined;
    for (const answer of this.#answers.splice(0)) this.#deliver(answer);
  }

  #deliver(message: JSONRPCMessage): void {
    if (!("method" in message) && this.direct?.takeAnswer(message) === true) return;
    if (this.#lateProbe !== undefined && !("method" in message) && message.id === this.#lateProbe) {
      this.#lateProbe = undefined;
      return;
    }
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #onTooLong(line: OversizedLine): void {
    const { maxMessageBytes, onFault } = this.#options;
    const answer = tooLongAnswer(line, maxMessageBytes);
    onFault(`it sent a message of ${line.bytes} bytes, more than the ${maxMessageBytes} that are allowed`);
    if (answer !== undefined) return this.#deliver(answer);
    // Somebody may wait for it for ever: better a connection that starts again.
    this.ended = "it sent a message that is too long to be read";
    void this.close();
  }

  #drops(kind: LossyKind): boolean {
    this.#slowDown(this.#lossyFlood);
    return this.#lossy.drops(kind);
  }

  /** A flood is not lost and not read either: the pipe fills up and the program waits. */
  #slowDown(gate: FloodGate): void {
    const pauseMs = gate.count();
    const stdout = this.#child?.stdout;
    if (pauseMs === 0 || stdout === null || stdout === undefined || stdout.isPaused()) return;
    this.#options.onFault("it floods its standard output, which is now read slowly");
    stdout.pause();
    setTimeout(() => stdout.resume(), pauseMs).unref();
  }

  #onWords(line: string): void {
    this.#lastWords = line;
    this.#confined?.heard(line);
    this.#options.onLog(line);
  }

  /** A program that is gone shows by its exit; one that only closed a stream would keep its callers waiting. */
  #onHalfClosed(why: string): void {
    const timer = setTimeout(() => {
      if (this.#over) return;
      this.ended ??= why;
      this.close().catch((error: Error) => this.onerror?.(error));
    }, drainMs);
    timer.unref();
  }

  #onExit(child: ChildProcess, code: number | null, signal: string | null): void {
    if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
    this.#guard?.dismiss();
    void this.#release();
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    afterOutput(child, drainMs, () => {
      const words = this.#lastWords === "" ? "" : ` (${excerpt(this.#lastWords)})`;
      if (!this.#over) this.ended ??= `the program ended ${how}${words}`;
      this.#finish();
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#releaseAnswers();
    this.direct?.close();
    this.onclose?.();
  }
}
