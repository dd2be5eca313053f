import type { RecordedChange } from "./actor.js";

/** The stages of the pipeline, in order. */
export const stages = ["idea", "prd", "design", "plan", "coding", "check", "delivery"] as const;

/** The stages of the work on a product. */
export type Stage = (typeof stages)[number];

/** `stale`: it was done, but a stage before it was opened again. */
export type StageState = "pending" | "active" | "done" | "stale";

/** A stage of the work, and how far it is. */
export interface StageStatus {
  readonly stage: Stage;
  readonly state: StageState;
  /** What was said when it was completed. */
  readonly summary?: string;
  readonly completedAt?: number;
}

/** One way through the stages. Times are Unix milliseconds. */
export interface Iteration {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** Where it stands; none when all stages are done. */
  readonly stage: Stage | null;
}

/** Where the work on a product stands. */
export interface PipelineStatus {
  readonly iteration: Iteration;
  readonly stages: readonly StageStatus[];
  /** The last moves, oldest first. */
  readonly history: readonly RecordedChange[];
}

/** A move to another stage and what it means for the rest. */
export interface StageMove {
  readonly iterationId: string;
  readonly from: Stage | null;
  readonly to: Stage | null;
  /** Later stages that were done and must be looked at again. */
  readonly invalidated: readonly Stage[];
}

/** Iterations, and where the one that this session works in stands. */
export interface PipelineStore {
  /** The iteration of this session: the one it named, else the newest, else a first one. */
  iteration(): Promise<Iteration>;
  /** The iteration of this session, if there is one yet. */
  peek(): Promise<Iteration | undefined>;
  /** Begin an iteration; this session works in it from now on. */
  startIteration(name?: string): Promise<Iteration>;
  /** Newest first. */
  iterations(): Promise<readonly Iteration[]>;
  /** `undefined` where nothing has needed an iteration yet. */
  status(): Promise<PipelineStatus | undefined>;
  /** Resume from a stage; what comes after it and was done is stale. */
  goto(stage: Stage, reason?: string): Promise<StageMove>;
  /** The present stage is done. @param stage Refused where the pipeline stands elsewhere. */
  complete(options?: {
    readonly stage?: Stage | undefined;
    readonly summary?: string | undefined;
  }): Promise<StageMove>;
}
