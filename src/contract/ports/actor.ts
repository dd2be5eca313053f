/** Who did something, as histories keep it. */
export interface Actor {
  readonly agent: string;
  readonly sessionId: string;
  readonly callId?: string;
  readonly userId?: string;
}

/** A change of a record: who, when and what. */
export interface RecordedChange {
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly agent: string;
  readonly sessionId: string;
  readonly callId?: string;
  /** What became what: `status: pending -> done`. */
  readonly what: string;
  readonly note?: string;
}
