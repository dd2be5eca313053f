import type { Actor } from "../../contract/ports/actor.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { Stage } from "../../contract/ports/pipeline.js";
import type { WorkStores } from "../../contract/ports/store.js";
import { ownerOf } from "../../contract/ownership.js";
import type { CallScope, IterationTracker } from "../../contract/session.js";
import { localPrincipal } from "../../store/memory-audience.js";
import { newestIteration } from "../../store/newest-iteration.js";
import type { Audience, DocumentFiles, WorkScope } from "../../store/work-scope.js";
import type { Work } from "../../store/work-stores.js";
import { deferStores } from "./defer-stores.js";
import type { LazyState } from "./lazy-state.js";

export interface WorkAccessOptions {
  readonly state: LazyState;
  readonly clock: Clock;
  readonly documentsOf: (origin: DocumentOrigin) => DocumentFiles;
}

/** The call that writes documents. */
export interface DocumentOrigin {
  readonly callId: string;
  readonly tool: string;
  readonly signal?: AbortSignal;
}

/** The pipeline iteration that a session works in, and what to show before it has one. */
export interface SessionIteration extends IterationTracker {
  /** The iteration that it is in or, as far as this process knows, would join. */
  readonly shown: string | undefined;
}

export interface NamedIterationOptions {
  /** @default the one that the session chose before, else the newest */
  readonly iterationId?: string | undefined;
  /** Called with work that closing must wait for. */
  readonly onWork: (work: Promise<void>) => void;
}

/** Access to the stores that agents share; the state opens on first use. */
export interface WorkAccess {
  storesFor(scope: CallScope): WorkStores;
  /** The stores for a person: in the newest iteration. */
  readonly person: WorkStores;
  /** The same as a principal sees it. */
  personAs(principal: string): WorkStores;
  trackIteration(iterationId?: string): SessionIteration;
  /** The iteration of a named session, which remembers the one that it chose. */
  trackNamedIteration(name: string, options: NamedIterationOptions): Promise<SessionIteration>;
  /** Update which iteration is the newest. */
  refresh(): Promise<void>;
  /** The stage of a session's iteration; `undefined` if there is none yet. */
  stageOf(iteration: SessionIteration): Promise<Stage | null | undefined>;
}

/** Prepare the access; nothing is opened. */
export function createWorkAccess({ state, clock, documentsOf }: WorkAccessOptions): WorkAccess {
  const known: { newest: string | undefined } = { newest: undefined };
  let work: Work | undefined;
  let opening: Promise<Work> | undefined;
  const open = async (): Promise<Work> => {
    opening ??= openWork(state, clock);
    try {
      return (work = await opening);
    } catch (cause) {
      opening = undefined; // the next use tries again
      throw cause;
    }
  };
  const track = (iterationId?: string, onChosen?: (id: string) => void): SessionIteration => {
    let own = iterationId;
    return {
      get id() {
        return own;
      },
      get shown() {
        return own ?? known.newest;
      },
      enter(id, chosen) {
        own = id;
        if (chosen || known.newest === undefined) known.newest = id;
        if (chosen) onChosen?.(id);
      },
    };
  };
  const storesOf = (scope: WorkScope): WorkStores =>
    work?.storesFor(scope) ?? deferStores(async () => (await open()).storesFor(scope));
  const personStores = (audience?: Audience): WorkStores =>
    storesOf({
      iterationTracker: track(),
      actor: { agent: "person", sessionId: "person" },
      documents: documentsOf({ callId: "person", tool: "person" }),
      audience,
    });
  return {
    storesFor(call) {
      const iterationTracker = call.session.iterationTracker ?? track(call.session.iterationId);
      return storesOf(new CallWork(call, iterationTracker, documentsOf));
    },
    get person() {
      return personStores();
    },
    personAs: (principal) => personStores({ principal }),
    trackIteration: (iterationId) => track(iterationId),
    async trackNamedIteration(name, { iterationId, onWork }) {
      const chosen = iterationId ?? (await loadChoice(state, name));
      return track(chosen, (id) => onWork(saveChoice(state, name, id)));
    },
    async refresh() {
      known.newest = (await newestIteration((await state.open()).sql)) ?? known.newest;
    },
    async stageOf({ id }) {
      if (work === undefined && !state.exists()) return undefined;
      const { iterations } = await open();
      const found = await (id === undefined ? iterations.newest() : iterations.find(id));
      return found?.stage;
    },
  };
}

async function openWork(state: LazyState, clock: Clock): Promise<Work> {
  const [{ sql, limits }, { createWork }] = await Promise.all([
    state.open(),
    import("../../store/work-stores.js"),
  ]);
  return createWork(sql, clock, limits);
}

/** A call as the work stores see it; most of them read only its iteration. */
class CallWork implements WorkScope {
  readonly #call: CallScope;
  readonly iterationTracker: IterationTracker;
  readonly #documentsOf: WorkAccessOptions["documentsOf"];

  constructor(
    call: CallScope,
    iterationTracker: IterationTracker,
    documentsOf: WorkAccessOptions["documentsOf"],
  ) {
    this.#call = call;
    this.iterationTracker = iterationTracker;
    this.#documentsOf = documentsOf;
  }

  get actor(): Actor {
    const { agent, id, userId } = this.#call.session;
    return { agent, sessionId: id, callId: this.#call.callId, ...(userId !== undefined && { userId }) };
  }

  get audience(): Audience {
    const { session } = this.#call;
    return { principal: ownerOf(session) ?? localPrincipal, endpoint: session.endpoint };
  }

  get documents(): DocumentFiles {
    const { callId, toolName: tool, signal } = this.#call;
    return this.#documentsOf({ callId, tool, signal });
  }
}

const choiceSpace = "session-iterations";

async function loadChoice(state: LazyState, name: string): Promise<string | undefined> {
  if (!state.exists()) return undefined;
  const kept = await (await state.open()).kv(choiceSpace).get(name);
  return typeof kept === "string" ? kept : undefined;
}

async function saveChoice(state: LazyState, name: string, id: string): Promise<void> {
  await (await state.open()).kv(choiceSpace).set(name, id);
}
