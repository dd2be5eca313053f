import type { Actor } from "../../contract/ports/actor.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { Stage } from "../../contract/ports/pipeline.js";
import type { WorkStores } from "../../contract/ports/store.js";
import type { CallScope, IterationSeat } from "../../contract/session.js";
import { newestIteration } from "../../store/newest-iteration.js";
import type { DocumentFiles, WorkScope } from "../../store/work-scope.js";
import type { Work } from "../../store/work-stores.js";
import { deferStores } from "./defer-stores.js";
import type { LazyState } from "./lazy-state.js";

export interface WorkDoorOptions {
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

/** A session's place in the pipeline, and what to show of it before it has one. */
export interface Seat extends IterationSeat {
  /** The iteration that it is in or, as far as this process knows, would get. */
  readonly shown: string | undefined;
}

export interface NamedSeat {
  /** @default the one that it chose before, else the newest */
  readonly iterationId?: string | undefined;
  /** Told of work that closing must wait for. */
  readonly onWork: (work: Promise<void>) => void;
}

/** The way to what agents keep together; the state opens with the first use. */
export interface WorkDoor {
  storesFor(scope: CallScope): WorkStores;
  /** As a person sees it: in the newest iteration. */
  readonly person: WorkStores;
  createSeat(iterationId?: string): Seat;
  /** The seat of a named session, which remembers the iteration that it chose. */
  openSeat(name: string, options: NamedSeat): Promise<Seat>;
  /** Learn which iteration is the newest. */
  refresh(): Promise<void>;
  /** Where the seat's iteration stands; `undefined` where there is none yet. */
  stageOf(seat: Seat): Promise<Stage | null | undefined>;
}

/** Make the door; nothing is opened. */
export function createWorkDoor({ state, clock, documentsOf }: WorkDoorOptions): WorkDoor {
  const known: { newest: string | undefined } = { newest: undefined };
  let work: Work | undefined;
  let opening: Promise<Work> | undefined;
  const open = async (): Promise<Work> => {
    opening ??= openWork(state, clock);
    try {
      return (work = await opening);
    } catch (cause) {
      opening = undefined; // whoever needs it next tries again
      throw cause;
    }
  };
  const createSeat = (iterationId?: string, onChosen?: (id: string) => void): Seat => {
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
  return {
    storesFor(call) {
      const seat = call.session.seat ?? createSeat(call.session.iterationId);
      return storesOf(new CallWork(call, seat, documentsOf));
    },
    get person() {
      return storesOf({
        seat: createSeat(),
        actor: { agent: "person", sessionId: "person" },
        documents: documentsOf({ callId: "person", tool: "person" }),
      });
    },
    createSeat: (iterationId) => createSeat(iterationId),
    async openSeat(name, { iterationId, onWork }) {
      const kept = iterationId ?? (await keptSeat(state, name));
      return createSeat(kept, (id) => onWork(keepSeat(state, name, id)));
    },
    async refresh() {
      known.newest = (await newestIteration((await state.open()).sql)) ?? known.newest;
    },
    async stageOf(seat) {
      if (work === undefined && !state.exists()) return undefined;
      const { iterations } = await open();
      const found = await (seat.id === undefined ? iterations.newest() : iterations.find(seat.id));
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

/** A call as the work stores see it; most look at nothing but the seat. */
class CallWork implements WorkScope {
  readonly #call: CallScope;
  readonly seat: IterationSeat;
  readonly #documentsOf: WorkDoorOptions["documentsOf"];

  constructor(call: CallScope, seat: IterationSeat, documentsOf: WorkDoorOptions["documentsOf"]) {
    this.#call = call;
    this.seat = seat;
    this.#documentsOf = documentsOf;
  }

  get actor(): Actor {
    const { agent, id, userId } = this.#call.session;
    return { agent, sessionId: id, callId: this.#call.callId, ...(userId !== undefined && { userId }) };
  }

  get documents(): DocumentFiles {
    const { callId, toolName: tool, signal } = this.#call;
    return this.#documentsOf({ callId, tool, signal });
  }
}

const seatSpace = "session-iterations";

async function keptSeat(state: LazyState, name: string): Promise<string | undefined> {
  if (!state.exists()) return undefined;
  const kept = await (await state.open()).kv(seatSpace).get(name);
  return typeof kept === "string" ? kept : undefined;
}

async function keepSeat(state: LazyState, name: string, id: string): Promise<void> {
  await (await state.open()).kv(seatSpace).set(name, id);
}
