/** The clock of the server, as far as its answers tell: that of the browser may be wrong by hours. */
export interface ServerClock {
  readonly now: () => number;
  /** Take in when a request was sent, when its answer came, and what that says about the time, to the second. */
  readonly note: (sentAt: number, cameAt: number, date: string | null) => void;
}

/** @param own The clock of the browser. */
export function createServerClock(own: () => number): ServerClock {
  let aheadMs = 0;
  return {
    now: () => own() + aheadMs,
    note(sentAt, cameAt, date) {
      const said = date === null ? Number.NaN : Date.parse(date);
      if (Number.isNaN(said)) return;
      // The server wrote this second at some moment in between.
      const [least, most] = [said - cameAt, said + 1000 - sentAt];
      if (aheadMs < least || aheadMs > most) aheadMs = least <= 0 && most >= 0 ? 0 : (least + most) / 2;
    },
  };
}

/** The one that every page shows its times by. */
export const serverClock = createServerClock(() => Date.now());
