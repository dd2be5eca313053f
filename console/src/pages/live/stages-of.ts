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
  add("waiting", requestedAt, askedAt ?? startedAt ?? end);
  if (askedAt !== undefined) {
    const answered = answeredAt ?? end;
    add("asking", askedAt, answered);
    add("waiting", answered, startedAt ?? end);
  }
  if (startedAt !== undefined) add("running", Math.max(startedAt, askedAt ?? 0), end);
  return stages.length > 0
    ? stages
    : [{ stage: startedAt === undefined ? "waiting" : "running", from: requestedAt, to: end }];
}
