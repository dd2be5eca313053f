import type { Clock } from "../contract/ports/clock.js";
import { isBusy, toStateError } from "./state-error.js";

const defaultPatienceMs = 9_000;
/** How long a call waits where others have waited in vain before it. */
const leastPatienceMs = 500;

/** Since when another process has held the file, by the steady clock, with no write of this one in between. */
export interface Busy {
  since: number | undefined;
}

interface Patience {
  readonly file: string;
  readonly clock: Clock;
  /** @default 9000 */
  readonly patienceMs?: number | undefined;
  readonly busy?: Busy;
}

/** Try again while another process writes. All waiting calls give up together; later ones give up sooner. */
export async function patiently<Result>(
  attempt: () => Result | Promise<Result>,
  { file, clock, patienceMs = defaultPatienceMs, busy = { since: undefined } }: Patience,
): Promise<Result> {
  let least: number | undefined;
  for (let wait = 1; ; wait = Math.min(wait * 2, 100)) {
    try {
      const result = await attempt();
      if (least !== undefined) busy.since = undefined;
      return result;
    } catch (error) {
      if (!isBusy(error)) throw toStateError(error, file);
      // The clock is looked at only where there is something to wait for: its first look costs milliseconds.
      const now = clock.monotonic();
      least ??= now + Math.min(leastPatienceMs, patienceMs);
      busy.since ??= now;
      if (now > Math.max(least, busy.since + patienceMs)) throw toStateError(error, file);
      await clock.sleep(wait);
    }
  }
}
