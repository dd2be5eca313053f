import { isRecord } from "../../contract/is-record.js";
import type { UpstreamCall } from "../../contract/ports/upstream.js";
import { readProgress } from "./own-fields.js";

type OnProgress = NonNullable<UpstreamCall["onProgress"]>;

/** Unlike the SDK's own tokens, which are the ids of its requests; they fit into 32 bits. */
const firstToken = 1_500_000_000;

/** Reports of progress over HTTP, taken before the SDK sees them: it drops the fields that it does not know. */
export class ProgressTokens {
  readonly #listeners = new Map<number, OnProgress>();
  #last = firstToken;

  /** A token whose reports go to this listener. */
  add(onProgress: OnProgress): number {
    this.#listeners.set(++this.#last, onProgress);
    return this.#last;
  }

  remove(token: number): void {
    this.#listeners.delete(token);
  }

  /** Take a report; `false` where the message is for the SDK. */
  take(message: object): boolean {
    const { method, params } = message as { method?: unknown; params?: unknown };
    if (method !== "notifications/progress" || !isRecord(params)) return false;
    const token = params["progressToken"];
    if (typeof token !== "number" || token <= firstToken || token > this.#last) return false;
    const progress = readProgress(params);
    if (progress !== undefined) this.#listeners.get(token)?.(progress);
    return true;
  }
}
