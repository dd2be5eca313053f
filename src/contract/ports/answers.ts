/** A call that a caller named by a key, so that sending it again does not make it again. */
export interface KeyedCall {
  /** On whose behalf the caller works; each principal has keys of its own. */
  readonly principal: string;
  readonly key: string;
  /** A digest of the tool and its arguments. */
  readonly fingerprint: string;
  readonly callId: string;
}

/** What is known of a key. */
export interface KeptCall extends Omit<KeyedCall, "principal" | "key"> {
  /** `lost`: the process that made the call is gone. */
  readonly state: "running" | "lost" | "done";
  /** The envelope as JSON; absent while it runs, and where it was too large. */
  readonly answer?: string | undefined;
}

/** The answers of calls by their keys, in the state that all processes share. */
export interface AnswerStore {
  /** Take the key for a call; where it is taken, tell by which. */
  claim(call: KeyedCall): Promise<KeptCall | undefined>;
  get(principal: string, key: string): Promise<KeptCall | undefined>;
  /** Keep the answer of the call that has the key; `undefined`: only that it ended. */
  finish(call: KeyedCall, answer: string | undefined): Promise<void>;
  /** Give the key back: the call did not run. */
  release(call: KeyedCall): Promise<void>;
}

/** Limits on stored keys. */
export interface AnswerLimits {
  /** How long an answer is kept. */
  readonly maxAgeMs: number;
  /** Keys at the same time; further ones are refused. */
  readonly maxKeys: number;
}
