/** Whether a rule matches something that a call touches; `maybe` if that cannot be known in advance. */
export const match = { no: 0, maybe: 1, yes: 2 } as const;

export type Match = (typeof match)[keyof typeof match];

/** The smaller of two. */
export function both(one: Match, other: Match): Match {
  return Math.min(one, other) as Match;
}
