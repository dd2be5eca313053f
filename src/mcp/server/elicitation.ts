import type { ClientConnection, ElicitAnswer, RequestExtras } from "../../contract/ports/client.js";
import type { ProtocolEra } from "../../contract/ports/upstream.js";
import type { Asker, InteractBackend } from "../../contract/ports/interact.js";
import { ToolExecutionError } from "../../contract/errors.js";
import { logLevels } from "../log-levels.js";
import type { ClientInfo } from "../../contract/ports/approval.js";
import {
  fitsApprovalForm,
  fitsQuestionForm,
  fromApprovalForm,
  fromQuestionForm,
  toApprovalForm,
  toQuestionForm,
} from "./approval-form.js";
import { maxUnpagedText } from "../../text/approval-text.js";
import type { Exchange } from "./exchange.js";

/** The exchange that a call belongs to, by its id where that is known. */
export type FindExchange = (callId?: string) => Exchange | undefined;

/** A session's way to the person behind its MCP host, by forms that the host shows. */
export function createElicitation(find: FindExchange): InteractBackend {
  const put = async (
    form: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    callId?: string,
  ): Promise<ElicitAnswer> =>
    toElicitAnswer(await exchangeOf(find, callId).ask("elicitation/create", form, signal));
  return {
    name: "mcp-elicitation",
    channel: "host",
    available: () => find()?.supports.elicitForm === true,
    async approve(request, signal) {
      if (!fitsApprovalForm(request)) throw tooLong("The request for consent");
      const answer = fromApprovalForm(request, await put(toApprovalForm(request), signal, rootOf(request)));
      if (answer !== undefined) return answer;
      throw new ToolExecutionError("the host's answer does not match the form", {
        code: "INTERACTION_FAILED",
      });
    },
    async ask(question, signal, asker) {
      if (!fitsQuestionForm(question)) throw tooLong("The question");
      const answer = fromQuestionForm(question, await put(toQuestionForm(question), signal, rootOf(asker)));
      if (answer !== undefined) return answer;
      throw new ToolExecutionError("The person chose not to answer.", {
        code: "INTERACTION_FAILED",
        hint: "Continue without the answer, and state your assumption.",
      });
    },
  };
}

/** What a person has to look at is never cut to make it fit. */
function tooLong(what: string): ToolExecutionError {
  return new ToolExecutionError(
    `${what} is longer than ${maxUnpagedText} characters, too long for a form of the host.`,
    {
      code: "INTERACTION_FAILED",
      hint: "Do it in smaller steps, or have it answered in the console (tenon serve) or on a terminal.",
    },
  );
}

/** Only the calls that a host made are known by their ids; those that tools make belong to one of them. */
function rootOf(asking?: Pick<Asker, "callId" | "rootCallId">): string | undefined {
  return asking?.rootCallId ?? asking?.callId;
}

export interface ClientConnectionOptions {
  /** What the host said of itself. */
  readonly info?: (() => ClientInfo | undefined) | undefined;
  /** Whether the host hears of the progress of a call. */
  readonly reports?: ((callId: string | undefined) => boolean) | undefined;
  /** `_meta` of the request that made a call. */
  readonly meta?: ((callId: string | undefined) => Readonly<Record<string, unknown>> | undefined) | undefined;
  /** What else that request held. */
  readonly extras?: ((callId: string | undefined) => RequestExtras | undefined) | undefined;
  /** What the host declared, where no request of it is open. */
  readonly capabilities?: (() => Readonly<Record<string, unknown>> | undefined) | undefined;
  /** The era that the host speaks, where no request of it is open. */
  readonly era?: (() => ProtocolEra | undefined) | undefined;
  /** The level of log messages that the host has set. */
  readonly logLevel?: (() => string | undefined) | undefined;
  /** Reaches the host where no request of the call is open. */
  readonly notify?: ((method: string, params: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Asks it there. */
  readonly request?: ClientConnection["request"] | undefined;
}

/** The MCP host itself, for tools that need it. */
export class HostClient implements ClientConnection {
  readonly #find: FindExchange;
  readonly #about: ClientConnectionOptions;
  /** The call that the connection is for. */
  readonly #callId: string | undefined;

  constructor(find: FindExchange, about: ClientConnectionOptions = {}, callId?: string) {
    this.#find = find;
    this.#about = about;
    this.#callId = callId;
  }

  get info(): ClientInfo | undefined {
    return this.#about.info?.();
  }
  get supports(): ClientConnection["supports"] {
    return this.#exchange?.supports ?? { elicitForm: false, elicitUrl: false, sample: false };
  }
  get capabilities(): ClientConnection["capabilities"] {
    return this.#exchange?.capabilities ?? this.#about.capabilities?.();
  }
  get era(): ProtocolEra | undefined {
    const exchange = this.#exchange;
    return exchange === undefined ? this.#about.era?.() : exchange.parks === true ? "modern" : "legacy";
  }
  get reports(): boolean | undefined {
    return this.#about.reports?.(this.#callId);
  }
  get meta(): ClientConnection["meta"] {
    return this.#about.meta?.(this.#callId);
  }
  get extras(): RequestExtras | undefined {
    return this.#about.extras?.(this.#callId);
  }
  get logLevel(): string | undefined {
    return this.#exchange?.logLevel ?? this.#about.logLevel?.();
  }

  async elicit(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ElicitAnswer> {
    return toElicitAnswer(await this.request("elicitation/create", params, signal));
  }

  openUrl(
    { id, url, message }: { readonly id: string; readonly url: string; readonly message: string },
    signal: AbortSignal,
  ): void {
    const exchange = this.#exchange;
    if (exchange?.supports.elicitUrl !== true) return;
    // Where a question parks the request nobody could tell a host that thinks from one that is gone;
    // reports of progress lead the person there as well.
    if (exchange.parks === true && this.reports === true) return;
    const params = { mode: "url", message, url, elicitationId: id };
    exchange.ask("elicitation/create", params, signal).catch(() => undefined); // its reply does not count as an answer
  }

  sample(
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.request("sampling/createMessage", params, signal);
  }

  async request(
    method: string,
    params: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { request } = this.#about;
    const exchange = this.#exchange;
    if (exchange !== undefined) return exchange.ask(method, params, signal);
    if (request !== undefined) return request(method, params, signal);
    throw hostGone();
  }

  forCall(callId: string): ClientConnection {
    return new HostClient(this.#find, this.#about, callId);
  }

  log(level: string, data: unknown, logger?: string): void {
    this.notify("notifications/message", { level, data, ...(logger !== undefined && { logger }) });
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    const exchange = this.#exchange;
    // In 2026-07-28 a host gets log messages only for requests that ask for them.
    const isMuted = exchange?.parks === true && exchange.logLevel === undefined;
    if (method === "notifications/message" && (isMuted || !isWanted(params["level"], this.logLevel))) return;
    if (exchange === undefined) this.#about.notify?.(method, params);
    else exchange.notify(method, params);
  }

  get #exchange(): Exchange | undefined {
    return this.#find(this.#callId);
  }
}

function isWanted(level: unknown, least: string | undefined): boolean {
  return least === undefined || logLevels.indexOf(String(level)) >= logLevels.indexOf(least);
}

function exchangeOf(find: FindExchange, callId?: string): Exchange {
  const exchange = find(callId);
  if (exchange !== undefined) return exchange;
  throw hostGone();
}

export function hostGone(): ToolExecutionError {
  return new ToolExecutionError("The host that could be asked has disconnected.", {
    code: "INTERACTION_FAILED",
  });
}

function toElicitAnswer(answer: Readonly<Record<string, unknown>>): ElicitAnswer {
  const { action, content } = answer;
  if (action !== "accept") return { action: action === "decline" ? "decline" : "cancel" };
  return typeof content === "object" && content !== null
    ? { action, content: content as Record<string, unknown> }
    : { action };
}
