import { createHash } from "node:crypto";
import type { ToolContext } from "../../contract/context.js";
import type { UpstreamCall, UpstreamResult, UpstreamTool } from "../../contract/ports/upstream.js";
import type { Tool } from "../../contract/tool.js";
import type { EraVerdict, ServerConnection } from "../client/server-connection.js";
import { createAnswerer } from "./answer-server.js";
import { createFaultLog, type FaultLog } from "./fault-log.js";
import type { GatewayOptions, ServerSettings, ServerView } from "./gateway-types.js";
import { messageOf } from "../../contract/message-of.js";
import type { ScreenedTool } from "./screen-tool.js";
import { ServerCatalogue } from "./server-catalogue.js";
import { ServerLink } from "./server-link.js";
import { createSlots, type Slots } from "./slots.js";
import { defaultStartMs } from "./start-time.js";
import { createRateLimit, type RateLimit } from "./rate-limit.js";
import { toUpstreamError } from "./upstream-error.js";
import { within } from "./within.js";
import { wrapMCPTool } from "./wrap-mcp-tool.js";

export interface GatewayServerOptions extends GatewayOptions {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly onChange: (what: "resources" | "prompts") => void;
}

/** Verdicts on the older era are asked for again after this: an upgraded server would never be noticed. */
const verdictLifeMs = 7 * 24 * 3600 * 1000;
const relistPauseMs = 200;

/** One server behind the gateway: its connection, its tools, and what it did wrong. */
export class GatewayServer {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly link: ServerLink;
  readonly catalogue: ServerCatalogue;
  readonly #options: GatewayServerOptions;
  readonly #faults: FaultLog;
  readonly #slots: Slots;
  readonly #rate: RateLimit;
  readonly #contexts = new WeakMap<UpstreamCall, ToolContext>();
  #listing: Promise<void> = Promise.resolve();
  #relist: NodeJS.Timeout | undefined;

  constructor(options: GatewayServerOptions) {
    const { name, settings, now, random, hide, open, registry, memory } = options;
    this.name = name;
    this.settings = settings;
    this.#options = options;
    const { keepLine } = options;
    const faults = createFaultLog(now, hide, keepLine && ((line) => keepLine(name, line)));
    this.#faults = faults;
    this.#slots = createSlots(settings.maxConcurrent ?? 16);
    this.#rate = createRateLimit(name, settings.maxPerMinute, now);
    this.catalogue = new ServerCatalogue({
      server: name,
      target: createHash("sha256")
        .update(JSON.stringify(targetOf(settings)))
        .digest("hex"),
      registry,
      memory,
      faults,
      wanted: (tool) => isWanted(tool, options),
      wrap: (tool) => this.#wrap(tool),
    });
    this.link = new ServerLink({
      server: name,
      spec: settings.spec,
      startTimeoutMs: settings.startTimeoutMs ?? defaultStartMs(settings.spec),
      open,
      faults,
      now,
      random,
      prior: () => this.#prior(),
      events: {
        onToolsChanged: () => this.#onToolsChanged(),
        onResourcesChanged: () => options.onChange("resources"),
        onPromptsChanged: () => options.onChange("prompts"),
        answer: createAnswerer({
          server: name,
          contextOf: (call) => this.#contexts.get(call),
          onFault: (message) => faults.add(message),
        }),
      },
      onOpen: (connection) => this.#onOpen(connection),
    });
  }

  get enabled(): boolean {
    return this.settings.enabled !== false;
  }

  /** What it offered when it was last connected. */
  get offers(): { readonly resources: boolean; readonly prompts: boolean } {
    return (
      this.link.connection?.offers ?? this.catalogue.record?.offers ?? { resources: false, prompts: false }
    );
  }

  /** Call a tool: waits for the connection and a free place, refuses what is held. */
  async callTool(tool: string, args: unknown, call: UpstreamCall): Promise<UpstreamResult> {
    const connection = this.link.connection ?? (await waitFor(this.link.use(), call.signal));
    await this.catalogue.check(tool);
    this.#rate.count();
    const leave = await this.#slots.take(call.signal);
    try {
      return await connection.callTool(tool, args, call);
    } catch (error) {
      throw toUpstreamError(error, { server: this.name, tool, signal: call.signal });
    } finally {
      leave();
    }
  }

  /** Relate requests of the server to the call of Tenon's that they belong to. */
  relate(call: UpstreamCall, ctx: ToolContext): void {
    this.#contexts.set(call, ctx);
  }

  /** Record what it did that it should not have. */
  noteFault(message: string): void {
    this.#faults.add(message);
  }

  async listTools(): Promise<readonly UpstreamTool[]> {
    await this.link.use();
    await this.#listing;
    return this.catalogue.usable().map(({ shown }) => shown);
  }

  /** Use changed definitions from now on; returns their names. */
  async accept(tools?: readonly string[]): Promise<readonly string[]> {
    if (this.catalogue.heldCount === 0) await this.link.use();
    await this.#listing;
    return this.catalogue.accept(tools);
  }

  async remove(): Promise<void> {
    await this.close();
    await this.catalogue.clear();
  }

  /** Take its tools away at once; calls that run may finish before it is closed. */
  async retire(graceMs: number): Promise<void> {
    const cleared = this.catalogue.clear();
    await within(this.#slots.whenFree(), graceMs);
    await this.close();
    await cleared;
  }

  async close(): Promise<void> {
    clearTimeout(this.#relist);
    await this.link.close();
  }

  view(): ServerView {
    const { connection, state, reason, nextTryAt } = this.link;
    const faults = this.#faults.faults();
    const fault = reason ?? faults.at(-1)?.message;
    return {
      name: this.name,
      target: this.#options.hide(describeTarget(this.settings)),
      state: this.enabled ? state : "disabled",
      ...(connection !== undefined && { protocol: connection.protocol }),
      ...(fault !== undefined && { fault }),
      ...this.catalogue.view(),
      ...(nextTryAt !== undefined && { nextTryAt }),
      ...(connection?.pid !== undefined && { pid: connection.pid }),
      faults,
      log: this.#faults.output(),
    };
  }

  async #onOpen(connection: ServerConnection): Promise<void> {
    await this.catalogue.load();
    await this.#takeListing(connection);
    const { verdict, offers } = connection;
    const { resources, prompts } = offers;
    await this.catalogue.keep({ verdict, verdictAt: this.#options.now(), offers: { resources, prompts } });
    if (resources) this.#options.onChange("resources");
    if (prompts) this.#options.onChange("prompts");
  }

  #onToolsChanged(): void {
    // Many notices in a row are one change, and a server that never stops must not keep us listing.
    if (this.#relist !== undefined) return;
    this.#relist = setTimeout(() => {
      this.#relist = undefined;
      const { connection } = this.link;
      if (connection === undefined) return;
      this.#listing = this.#takeListing(connection).catch((error: unknown) =>
        this.#faults.add(`its tools could not be listed again: ${messageOf(error)}`),
      );
    }, relistPauseMs);
    this.#relist.unref();
  }

  async #takeListing(connection: ServerConnection): Promise<void> {
    await this.catalogue.take(connection.offers.tools ? await connection.listTools() : []);
  }

  #wrap({ shown }: ScreenedTool): Tool {
    const { trustAnnotations, timeoutMs } = this.settings;
    return wrapMCPTool(this, shown, {
      server: this.name,
      trustAnnotations,
      timeoutMs,
      onCall: (call, ctx) => this.relate(call, ctx),
      healthCheck: () => {
        const { state, reason } = this.link;
        return {
          healthy: state !== "failed",
          message: reason ?? `the MCP server "${this.name}" is ${state}`,
        };
      },
    });
  }

  async #prior(): Promise<EraVerdict | undefined> {
    await this.catalogue.load();
    const { verdict, verdictAt = 0 } = this.catalogue.record ?? {};
    return this.#options.now() - verdictAt < verdictLifeMs ? verdict : undefined;
  }
}

function isWanted(tool: string, { settings, matches }: GatewayServerOptions): boolean {
  const { include, exclude = [] } = settings;
  const included = include === undefined || include.some((glob) => matches(glob, tool));
  return included && !exclude.some((glob) => matches(glob, tool));
}

function targetOf({ spec }: ServerSettings): unknown {
  return spec.kind === "program" ? [spec.command, spec.args ?? []] : [spec.url];
}

function describeTarget({ spec }: ServerSettings): string {
  if (spec.kind === "program") return [spec.command, ...(spec.args ?? [])].join(" ");
  const url = new URL(spec.url);
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
}

/** Others may wait for the same connection, so only this wait ends with the signal. */
function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
