import type { ClientDoor, ElicitAnswer } from "../../contract/ports/client.js";
import type { Asker, InteractBackend } from "../../contract/ports/interact.js";
import { ToolExecutionError } from "../../contract/errors.js";
import { fromApprovalForm, fromQuestionForm, toApprovalForm, toQuestionForm } from "./approval-form.js";
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
    available: () => find()?.can.elicitForm === true,
    async approve(request, signal) {
      return fromApprovalForm(await put(toApprovalForm(request), signal, rootOf(request)));
    },
    async ask(question, signal, asker) {
      const answer = fromQuestionForm(question, await put(toQuestionForm(question), signal, rootOf(asker)));
      if (answer !== undefined) return answer;
      throw new ToolExecutionError("The person chose not to answer.", {
        code: "INTERACTION_FAILED",
        hint: "Go on without the answer, and say which assumption you made.",
      });
    },
  };
}

/** Only the calls that a host made are known by their ids; those that tools make belong to one of them. */
function rootOf(asking?: Pick<Asker, "callId" | "rootCallId">): string | undefined {
  return asking?.rootCallId ?? asking?.callId;
}

/** The MCP host itself, for tools that need it. */
export function createClientDoor(find: FindExchange, callId?: string): ClientDoor {
  const ask: NonNullable<ClientDoor["request"]> = async (method, params, signal) =>
    exchangeOf(find, callId).ask(method, params, signal);
  return {
    get can() {
      return find(callId)?.can ?? { elicitForm: false, elicitUrl: false, sample: false };
    },
    elicit: async (params, signal) => toElicitAnswer(await ask("elicitation/create", params, signal)),
    sample: ask.bind(undefined, "sampling/createMessage"),
    request: ask,
    forCall: (id) => createClientDoor(find, id),
    log: (level, data, logger) => find(callId)?.log(level, data, logger),
  };
}

function exchangeOf(find: FindExchange, callId?: string): Exchange {
  const exchange = find(callId);
  if (exchange !== undefined) return exchange;
  throw new ToolExecutionError("The host that could be asked is gone.", { code: "INTERACTION_FAILED" });
}

function toElicitAnswer(answer: Readonly<Record<string, unknown>>): ElicitAnswer {
  const { action, content } = answer;
  if (action !== "accept") return { action: action === "decline" ? "decline" : "cancel" };
  return typeof content === "object" && content !== null
    ? { action, content: content as Record<string, unknown> }
    : { action };
}
