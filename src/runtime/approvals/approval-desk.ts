import type {
  AnswerOutcome,
  ConsentDesk,
  FirstAnswer,
  GivenAnswer,
  WaitingConsent,
} from "../../call/consent-desk.js";
import { missingApprovals, toLastAnswer, withApprover } from "../../contract/four-eyes.js";
import { messageOf } from "../../contract/message-of.js";
import type {
  ApprovalRequest,
  ApprovalResolution,
  Approver,
  ConsoleReach,
} from "../../contract/ports/interact.js";
import type {
  ApprovalStore,
  ConsolePresence,
  ConsoleStore,
  StoredApproval,
} from "../../contract/ports/state.js";
import { endedWith, isOver, toFirst, unanswered } from "./ended-request.js";
import { isShared, refusalOf, toApprover } from "./judge-answer.js";

/** The part of the state through which processes share their requests. */
export interface SharedApprovals {
  readonly approvals: ApprovalStore;
  readonly consoles: ConsoleStore;
}

export interface ApprovalDeskOptions {
  readonly state: {
    /** Whether this run or an earlier one stored something. */
    exists(): boolean;
    open(): Promise<SharedApprovals>;
  };
  readonly now: () => number;
  /** The console of this process, if it has one. */
  readonly ownReach: () => ConsoleReach | undefined;
  /** Called when the state cannot be used; answers still apply in this process. */
  readonly onFault: (message: string) => void;
}

/** How often a process checks for answers given in others. */
const pollMs = 300;
const maxEnded = 1000;

interface Entry extends WaitingConsent {
  request: ApprovalRequest;
  /** Whether other processes see it. */
  stored: boolean;
  /** Claimed by an answer that is being stored. */
  taken: Promise<void> | undefined;
}

/** All requests for consent of this process, and those of other processes on the same state. */
export class ApprovalDesk implements ConsentDesk {
  readonly #options: ApprovalDeskOptions;
  readonly #waiting = new Map<string, Entry>();
  readonly #ended = new Map<string, FirstAnswer>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  /** @internal */
  constructor(options: ApprovalDeskOptions) {
    this.#options = options;
  }

  /** Waiting requests of this process, oldest first. */
  waiting(): readonly ApprovalRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /** Requests of other processes that a console may answer; those of processes that ended are closed. */
  async elsewhere(): Promise<readonly ApprovalRequest[]> {
    if (!this.#options.state.exists()) return [];
    const { approvals } = await this.#options.state.open();
    const others = (await approvals.pending()).filter(({ owner }) => owner !== "self");
    const gone = others.filter(
      ({ owner, request }) => owner === "gone" || isOver(request, this.#options.now()),
    );
    for (const { request } of gone)
      await approvals.resolve(request.id, endedWith(request, this.#options.now()));
    return others.filter((one) => !gone.includes(one)).map(({ request }) => request);
  }

  async open(waiting: WaitingConsent): Promise<void> {
    const { request } = waiting;
    const entry: Entry = { ...waiting, stored: false, taken: undefined };
    this.#waiting.set(request.id, entry);
    await this.#try(async ({ approvals }) => {
      await approvals.open(request);
      entry.stored = true;
    });
    this.#lookOn();
  }

  async answer(id: string, answer: GivenAnswer): Promise<AnswerOutcome> {
    const entry = this.#waiting.get(id);
    if (entry === undefined) return this.#answerElsewhere(id, answer);
    const refused = refusalOf(entry.request, answer);
    if (refused !== undefined) return refused;
    if (answer.verdict !== "no" && answer.updatedArguments !== undefined) {
      const fault = entry.check(answer.updatedArguments);
      if (fault !== undefined) return { status: "invalid", fault };
    }
    if (answer.verdict !== "no" && isShared(entry.request))
      return this.#count(entry, toApprover(answer, this.#options.now()));
    if (entry.taken !== undefined) {
      await entry.taken;
      return { status: "late", first: this.#firstOf(id) };
    }
    let outcome: AnswerOutcome = { status: "accepted" };
    // Claimed before any await: of two answers in the same millisecond one is first.
    entry.taken = this.#settle(entry, answer).then((settled) => void (outcome = settled));
    await entry.taken;
    return outcome;
  }

  async close(resolution: ApprovalResolution): Promise<void> {
    const { id } = resolution;
    const entry = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#remember(id, resolution);
    if (this.#waiting.size === 0) this.stop();
    if (entry?.stored !== true) return;
    const { verdict, reason } = resolution;
    const answer = verdict === "expired" || verdict === "cancelled" ? unanswered(verdict, reason) : undefined;
    if (answer !== undefined) await this.#try(({ approvals }) => approvals.resolve(id, answer));
  }

  async reach(): Promise<ConsoleReach | undefined> {
    const own = this.#options.ownReach();
    if (own !== undefined) return own;
    let found: ConsolePresence | undefined;
    if (this.#options.state.exists()) {
      await this.#try(async ({ consoles }) => {
        [found] = [...(await consoles.list())].sort((one, other) => other.pageSeenAt - one.pageSeenAt);
      });
    }
    if (found === undefined) return undefined;
    const { url, pages, pageSeenAt } = found;
    return { url, pageSeenAt: pages > 0 ? this.#options.now() : pageSeenAt };
  }

  /** How a request of another process ended. */
  async outcome(id: string): Promise<FirstAnswer | undefined> {
    const { approvals } = await this.#options.state.open();
    const stored = await approvals.get(id);
    return stored?.answer === undefined ? undefined : toFirst(stored);
  }

  /** Announce to other processes on this state that a console runs here. */
  async announce(console: ConsolePresence): Promise<void> {
    await (await this.#options.state.open()).consoles.keep(console);
  }

  /** Withdraw the announcement of a console. */
  async leave(id: string): Promise<void> {
    await (await this.#options.state.open()).consoles.remove(id);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One of several consents: the last one is the answer. */
  async #count(entry: Entry, approver: Approver): Promise<AnswerOutcome> {
    const { id } = entry.request;
    let changed = withApprover(entry.request, approver);
    if (entry.stored) {
      let stored: StoredApproval | undefined;
      await this.#try(async ({ approvals }) => void (stored = await approvals.approve(id, approver)));
      if (stored === undefined) {
        await this.#look();
        return { status: "late", first: this.#firstOf(id) };
      }
      changed = stored.request;
    }
    entry.request = changed;
    const last = toLastAnswer(changed);
    if (last === undefined || entry.taken !== undefined) {
      entry.onApproval(changed);
      return { status: "counted", missing: missingApprovals(changed) };
    }
    entry.taken = Promise.resolve();
    const answer = last as GivenAnswer;
    this.#remember(id, { verdict: answer.verdict, resolvedAt: this.#options.now(), ...answer.by });
    entry.deliver(answer);
    return { status: "accepted" };
  }

  /** Store the answer; if another process was faster, its answer applies. */
  async #settle(entry: Entry, answer: GivenAnswer): Promise<AnswerOutcome> {
    const { id } = entry.request;
    let first = true;
    if (entry.stored) {
      await this.#try(async ({ approvals }) => {
        first = await approvals.resolve(id, answer);
      });
    }
    if (first) {
      this.#remember(id, { verdict: answer.verdict, resolvedAt: this.#options.now(), ...answer.by });
      entry.deliver(answer);
      return { status: "accepted" };
    }
    await this.#takeFromOthers(entry);
    return { status: "late", first: this.#firstOf(id) };
  }

  /** Apply an answer that another process stored. */
  async #takeFromOthers(entry: Entry): Promise<void> {
    await this.#try(async ({ approvals }) => {
      const stored = await approvals.get(entry.request.id);
      if (stored?.answer === undefined) return;
      const answer = { ...stored.answer, by: stored.answer.by ?? { channel: "console" } } as GivenAnswer;
      const fault =
        answer.verdict === "no" || answer.updatedArguments === undefined
          ? undefined
          : entry.check(answer.updatedArguments);
      if (fault !== undefined) {
        // It was given where it could not be validated: the request is asked again, with the problem.
        entry.request = { ...entry.request, fault };
        await approvals.reopen(entry.request);
        entry.taken = undefined;
        return;
      }
      this.#remember(entry.request.id, toFirst(stored));
      entry.deliver(answer);
    });
  }

  async #answerElsewhere(id: string, answer: GivenAnswer): Promise<AnswerOutcome> {
    const ended = this.#ended.get(id);
    if (ended !== undefined) return { status: "late", first: ended };
    if (!this.#options.state.exists()) return { status: "unknown" };
    const { approvals } = await this.#options.state.open();
    const stored = await approvals.get(id);
    if (stored === undefined) return { status: "unknown" };
    if (stored.answer !== undefined) return { status: "late", first: toFirst(stored) };
    const refused = refusalOf(stored.request, answer);
    if (refused !== undefined) return refused;
    if (stored.owner === "gone") return { status: "unknown" };
    if (answer.verdict !== "no" && isShared(stored.request)) {
      const counted = await approvals.approve(id, toApprover(answer, this.#options.now()));
      const missing = counted === undefined ? 0 : missingApprovals(counted.request);
      if (counted !== undefined) return missing > 0 ? { status: "counted", missing } : { status: "accepted" };
    } else if (await approvals.resolve(id, answer)) return { status: "accepted" };
    const other = await approvals.get(id);
    return other === undefined ? { status: "unknown" } : { status: "late", first: toFirst(other) };
  }

  #lookOn(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setInterval(() => void this.#look(), pollMs);
    this.#timer.unref();
  }

  /** Find requests of this process that another process has answered. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const stored = [...this.#waiting.values()].filter((entry) => entry.stored && entry.taken === undefined);
      if (stored.length === 0) return;
      await this.#try(async ({ approvals }) => {
        const open = new Set((await approvals.pending()).map(({ request }) => request.id));
        for (const entry of stored) {
          if (open.has(entry.request.id) || entry.taken !== undefined || !this.#waiting.has(entry.request.id))
            continue;
          entry.taken = this.#takeFromOthers(entry);
          await entry.taken;
        }
      });
    } finally {
      this.#looking = false;
    }
  }

  #firstOf(id: string): FirstAnswer {
    return this.#ended.get(id) ?? { verdict: "cancelled", resolvedAt: this.#options.now() };
  }

  #remember(id: string, first: FirstAnswer): void {
    const { verdict, resolvedAt, channel, person, client, reason } = first;
    this.#ended.delete(id);
    this.#ended.set(id, { verdict, resolvedAt, channel, person, client, reason });
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
  }

  async #try(work: (shared: SharedApprovals) => Promise<unknown>): Promise<void> {
    try {
      await work(await this.#options.state.open());
    } catch (cause) {
      this.#options.onFault(messageOf(cause));
    }
  }
}
