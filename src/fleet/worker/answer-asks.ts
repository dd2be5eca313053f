import type { Msg } from "@nats-io/transport-node";
import { ToolError, ToolValidationError } from "../../contract/errors.js";
import type { HostSession } from "../../contract/host.js";
import { messageOf } from "../../contract/message-of.js";
import { pack } from "../bus/carry.js";
import { workspaceAway } from "../bus/fleet-error.js";
import { readSigned, RefusedMessage } from "../bus/signed.js";
import { askSchema, maxAgeMs, maxMessageBytes, type AnswerMessage, type AskMessage } from "../protocol.js";
import type { WorkerOptions } from "./worker-options.js";
import type { Worker } from "./worker.js";

interface AskOptions extends WorkerOptions {
  /** The server's time. */
  readonly now: () => number;
}

/** Answer what fronts ask of this worker; the result ends it. */
export function answerAsks(worker: Worker, options: AskOptions): () => void {
  const { bus, onFault } = options;
  const seen = new SeenIds();
  const answer = async (message: Msg): Promise<void> => {
    try {
      await answerOne(worker, message, { ...options, seen });
    } catch (cause) {
      onFault(cause);
    }
  };
  const subscription = bus.connection.subscribe(bus.names.worker(worker.id, "*"), {
    callback: (error, message) => {
      if (error === null) void answer(message);
      else onFault(error);
    },
  });
  return () => {
    if (!subscription.isClosed()) subscription.unsubscribe();
  };
}

async function answerOne(
  worker: Worker,
  message: Msg,
  options: AskOptions & { readonly seen: SeenIds },
): Promise<void> {
  const { bus, seen, now } = options;
  let answer: AnswerMessage;
  try {
    const ask = await readSigned(message, askSchema, { ...options, writtenAt: now() });
    if (message.subject !== bus.names.worker(worker.id, ask.verb))
      throw new RefusedMessage("A request was sent for another verb.");
    if (!seen.add(ask.id)) throw new RefusedMessage("A request was sent twice.");
    answer = { value: await verbs[ask.verb](worker, ask) };
  } catch (cause) {
    const { code, message: text, hint } = toFault(cause);
    answer = { error: { code, message: text, ...(hint !== undefined && { hint }) } };
    if (!(cause instanceof ToolError)) options.onFault(cause);
  }
  const packed = pack(bus, answer).catch((cause: unknown) => {
    if (!(cause instanceof ToolValidationError)) throw cause;
    return pack(bus, { error: tooLarge });
  });
  message.respond(await packed);
}

const tooLarge = {
  code: "RESULT_INVALID",
  message: `The answer is larger than the ${maxMessageBytes} bytes that a fleet carries.`,
  hint: "Ask for less, or run the command on the machine of the worker.",
};

function toFault(cause: unknown): { code: string; message: string; hint?: string | undefined } {
  if (cause instanceof ToolError) return cause;
  if (cause instanceof RefusedMessage) return { code: "FLEET_UNAVAILABLE", message: cause.message };
  return { code: "INTERNAL_ERROR", message: messageOf(cause) };
}

const verbs: Readonly<Record<AskMessage["verb"], (worker: Worker, ask: AskMessage) => Promise<unknown>>> = {
  async claim(worker, { workspace, source }) {
    const { epoch } = await worker.own(workspace, source);
    return { worker: worker.id, epoch };
  },
  async release(worker, { workspace }) {
    await worker.release(workspace);
    return {};
  },
  async drain(worker) {
    await worker.drain();
    return {};
  },
  async waiting(worker) {
    return [...worker.owned.values()].map((owned) => owned.waiting());
  },
  async taken(worker, { workspace, args: [callId, proof] = [] }) {
    const { calls } = ownedBy(worker, workspace);
    return calls.taken(String(callId), typeof proof === "string" ? proof : undefined);
  },
  async http(worker, { workspace, http }) {
    if (http === undefined) throw malformed();
    return ownedBy(worker, workspace).answer(http);
  },
  async session(worker, { workspace, session: facts, front, method = "", args = [] }) {
    if (facts === undefined) throw malformed();
    if (method === "close" || method === "leave") {
      const reason = args[0] as string | undefined;
      const leaving = method === "leave" ? front : undefined;
      return worker.endSession(workspace, facts.id, { reason, leaving });
    }
    const run = Object.hasOwn(sessionMethods, method) ? sessionMethods[method] : undefined;
    if (run === undefined) throw malformed();
    return run(ownedBy(worker, workspace).session(facts, front), args);
  },
};

/** A signal that never fires; one for each ask, since what it starts may listen as long as it lives. */
const never = (): AbortSignal => new AbortController().signal;

/** What of a session can be asked from afar. */
const sessionMethods: Readonly<Record<string, (session: HostSession, args: readonly unknown[]) => unknown>> =
  {
    tools: (session) => session.tools(),
    rootsChanged: (session) => session.rootsChanged(),
    "resources.list": (session) => session.resources().list(never()),
    "resources.templates": (session) => session.resources().templates(never()),
    "resources.read": (session, [uri]) => session.resources().read(String(uri), never()),
    "resources.complete": (session, [request]) => session.resources().complete(request as never, never()),
    "resources.watch": async (session, [uri]) => void (await session.resources().watch(String(uri), never())),
    "prompts.list": (session) => session.prompts().list(never()),
    "prompts.get": (session, [name, args]) =>
      session.prompts().get(String(name), Object(args) as never, never()),
    "prompts.complete": (session, [request]) => session.prompts().complete(request as never, never()),
  };

function ownedBy(worker: Worker, workspace: string) {
  const owned = worker.owned.get(workspace);
  if (owned !== undefined) return owned;
  throw workspaceAway(`This worker does not own "${workspace}" any more.`, "Try again.");
}

function malformed(): ToolValidationError {
  return new ToolValidationError("Malformed request of a front.", { code: "REQUEST_INVALID" });
}

/** The ids of requests that were answered, as long as one could be sent again. */
class SeenIds {
  #recent = new Set<string>();
  #older = new Set<string>();
  #turnedAt = performance.now();

  add(id: string): boolean {
    if (performance.now() - this.#turnedAt > maxAgeMs * 2) {
      this.#older = this.#recent;
      this.#recent = new Set();
      this.#turnedAt = performance.now();
    }
    if (this.#recent.has(id) || this.#older.has(id)) return false;
    this.#recent.add(id);
    return true;
  }
}
