import type { Call } from "../../feed/feed-state.js";

/** A stretch of a call's life. */
export interface Stage {
  readonly stage: "waiting" | "asking" | "running";
  readonly from: number;
  readonly to: number;
}

/** What a call went through, in order; stages without length are left out, but one is always there. */
export function stagesOf(call: Call, end: number): readonly Stage[] {
  const { requestedAt, askedAt, answeredAt, startedAt } = call;
  const stages: Stage[] = [];
  const add = (stage: Stage["stage"], from: number, to: number) => {
    if (to > from) stages.push({ stage, from, to });
  };
  const asked = askedAt ?? end;
  const answered = Math.max(asked, answeredAt ?? end);
  // A question out of a running call, often asked in the millisecond in which it started.
  if (startedAt !== undefined && startedAt <= asked) {
    add("waiting", requestedAt, startedAt);
    add("running", startedAt, asked);
    add("asking", asked, answered);
    add("running", answered, end);
  } else {
    add("waiting", requestedAt, Math.min(asked, startedAt ?? end));
    add("asking", asked, answered);
    add("waiting", answered, startedAt ?? end);
    if (startedAt !== undefined) add("running", startedAt, end);
  }
  return stages.length > 0
    ? stages
    : [{ stage: startedAt === undefined ? "waiting" : "running", from: requestedAt, to: end }];
}
