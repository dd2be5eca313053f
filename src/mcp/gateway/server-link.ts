import { waitAtMost, withinTime } from "../../contract/system-clock.js";
import { ToolUnavailableError } from "../../contract/errors.js";
import type { SecretScope } from "../../contract/ports/secrets.js";
import type { ProtocolEra, UpstreamSpec } from "../../contract/ports/upstream.js";
import type { ServerOptions } from "../client/server-options.js";
import type { EraVerdict, ServerConnection } from "../client/server-connection.js";
import type { FaultLog } from "./fault-log.js";
import type { Profile } from "./caller.js";
import { messageOf } from "../../contract/message-of.js";

/** Open a connection to the server of that name. */
export type OpenServer = (
  server: string,
  spec: UpstreamSpec,
  options: ServerOptions & {
    /** Whose secrets the server is given. @default those for everybody */
    readonly owner?: SecretScope | undefined;
  },
) => Promise<ServerConnection>;

export interface LinkOptions {
  readonly server: string;
  readonly spec: UpstreamSpec;
  readonly startTimeoutMs: number;
  readonly open: OpenServer;
  readonly faults: FaultLog;
  readonly now: () => number;
  readonly random: () => number;
  readonly prior: (era: ProtocolEra | undefined) => Promise<EraVerdict | undefined>;
  /** For whom the connection is made. */
  readonly profile: () => Profile;
  readonly events: Pick<ServerOptions, "onToolsChanged" | "onNotice" | "answer" | "era">;
  /** A connection is there: list and register before anyone uses it. */
  readonly onOpen: (connection: ServerConnection) => Promise<void>;
}

export type LinkState = "idle" | "connecting" | "ready" | "failed" | "stopped";

const firstWaitMs = 500;
const maxWaitMs = 60_000;
/** A connection that lived this long resets the back-off. */
const stableMs = 10_000;

/** The one connection to a server: opened when needed, opened again when lost. */
export class ServerLink {
  readonly #options: LinkOptions;
  #state: LinkState = "idle";
  #connection: ServerConnection | undefined;
  #opening: Promise<ServerConnection> | undefined;
  #stop = new AbortController();
  #reason: string | undefined;
  #needsLogin = false;
  #failures = 0;
  #nextTryAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #openedAt = 0;
  #closed = false;
  #late = false;
  #triedAt = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get state(): LinkState {
    return this.#state;
  }
  /** Why it failed. */
  get reason(): string | undefined {
    return this.#reason;
  }
  /** It failed because only a person can log in. */
  get needsLogin(): boolean {
    return this.#needsLogin && this.#state === "failed";
  }
  get nextTryAt(): number | undefined {
    return this.#nextTryAt;
  }
  get connection(): ServerConnection | undefined {
    return this.#connection;
  }

  /** The connection; waits for one that is being made, refuses at once while a failed one is not tried again. */
  use(): Promise<ServerConnection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    if (this.#closed) return Promise.reject(this.#unavailable("it was disconnected"));
    if (this.#state === "stopped") return Promise.reject(this.#unavailable("it was stopped"));
    if (this.#state === "failed" && this.#isResting())
      return Promise.reject(this.#unavailable(this.#reason ?? ""));
    return this.open();
  }

  /**
   * The connection if it is there within so many milliseconds of the start of its try. One that failed, or was not
   * there in time, is not waited for again until it works: a dead server delays nobody twice.
   */
  async arrive(limitMs: number): Promise<ServerConnection | undefined> {
    if (this.#connection !== undefined) return this.#connection;
    const isOff = this.#late || this.#closed || this.#state === "stopped";
    const opening = isOff ? undefined : this.open();
    if (opening === undefined) return undefined;
    opening.catch(() => {}); // shown in its view
    const leftMs = Math.max(0, this.#triedAt + limitMs - performance.now());
    const arrived = await waitAtMost(
      opening.catch(() => undefined),
      leftMs,
    );
    this.#late = arrived === undefined;
    return arrived;
  }

  /** Connect now, regardless of earlier failures. */
  open(startTimeoutMs = this.#options.startTimeoutMs): Promise<ServerConnection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#opening ??= this.#open(startTimeoutMs).finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Close it until it is opened again by name; calls do not open it. */
  async stop(): Promise<void> {
    await this.close(true);
    this.#set("stopped", undefined);
  }

  /** Close it; with `again` it can be opened again. */
  async close(again = false): Promise<void> {
    this.#closed = !again;
    clearTimeout(this.#timer);
    this.#nextTryAt = undefined;
    this.#stop.abort(this.#unavailable("it was disconnected"));
    this.#stop = new AbortController();
    await this.#opening?.catch(() => {});
    // The attempt that was ended here must not be made again.
    clearTimeout(this.#timer);
    this.#nextTryAt = undefined;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#failures = 0;
    this.#set("idle", undefined);
    await connection?.close();
  }

  async #open(startTimeoutMs: number): Promise<ServerConnection> {
    const { server, spec, open, faults, events, onOpen } = this.#options;
    const { signal } = this.#stop;
    clearTimeout(this.#timer);
    this.#nextTryAt = undefined;
    this.#triedAt = performance.now();
    // What failed before counts as failed until it works again: nobody should be told otherwise by each new try.
    if (this.#reason === undefined) this.#set("connecting", undefined);
    let connection: ServerConnection | undefined;
    const profile = this.#options.profile();
    try {
      connection = await open(server, spec, {
        timeoutMs: startTimeoutMs,
        signal,
        prior: await this.#options.prior(profile.era),
        capabilities: profile.capabilities,
        owner: profile.owner,
        ...events,
        onFault: (message) => faults.add(message),
        onLog: (line) => faults.addOutput(line),
        onLost: (reason) => this.#onLost(connection, reason),
      });
      // A listing that never ends must not keep everyone waiting.
      const late = () => new Error(`it did not list its tools within ${startTimeoutMs} ms`);
      const listing = onOpen(connection);
      await withinTime(() => listing, startTimeoutMs, late);
      signal.throwIfAborted();
    } catch (error) {
      connection?.close().catch((fault: unknown) => faults.add(messageOf(fault)));
      if (this.#closed) throw error;
      this.#fail(messageOf(error), (error as { code?: unknown }).code === "LOGIN_NEEDED");
      throw this.#unavailable(messageOf(error), error);
    }
    this.#connection = connection;
    this.#openedAt = this.#options.now();
    this.#needsLogin = false;
    this.#late = false;
    this.#set("ready", undefined);
    return connection;
  }

  #onLost(connection: ServerConnection | undefined, reason: string): void {
    if (this.#closed || connection === undefined || this.#connection !== connection) return;
    this.#connection = undefined;
    // What is left of it must go: a program whose streams closed may still run.
    connection.close().catch((fault: unknown) => this.#options.faults.add(messageOf(fault)));
    if (this.#options.now() - this.#openedAt > stableMs) this.#failures = 0;
    this.#fail(`the connection was lost: ${reason}`, false);
  }

  #fail(reason: string, needsLogin: boolean): void {
    const { faults, now, random } = this.#options;
    faults.add(reason);
    this.#needsLogin = needsLogin;
    const waitMs =
      Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(this.#failures, 20)) * (0.75 + random() / 2);
    this.#failures += 1;
    this.#nextTryAt = Math.ceil(now() + waitMs);
    this.#set("failed", reason);
    if (needsLogin) return; // only a person can help
    this.#timer = setTimeout(() => void this.open().catch(() => {}), waitMs);
    this.#timer.unref();
  }

  #isResting(): boolean {
    return this.#nextTryAt !== undefined && this.#options.now() < this.#nextTryAt;
  }

  #set(state: LinkState, reason: string | undefined): void {
    this.#state = state;
    this.#reason = reason;
  }

  #unavailable(why: string, cause?: unknown): ToolUnavailableError {
    const { server, now } = this.#options;
    const inMs = Math.max(0, (this.#nextTryAt ?? now()) - now());
    const again = this.#needsLogin
      ? `Log in with: tenon mcp-servers login ${server}`
      : this.#state === "stopped"
        ? `Start it with: tenon mcp-servers restart ${server}`
        : this.#nextTryAt === undefined
          ? `See "tenon mcp-servers list".`
          : `It is tried again in ${(inMs / 1000).toFixed(1)} s; "tenon mcp-servers test ${server}" shows more, "tenon mcp-servers restart ${server}" restarts it in a running tenon serve.`;
    return new ToolUnavailableError(
      `The MCP server "${server}" is not available: ${why}.`.replace(/\.\.$/, "."),
      {
        code: this.#needsLogin ? "LOGIN_NEEDED" : "SERVER_UNAVAILABLE",
        hint: again,
        details: { server, ...(this.#nextTryAt !== undefined && { nextTryAt: this.#nextTryAt }) },
        ...(cause !== undefined && { cause }),
      },
    );
  }
}
