import { useEffect, useState } from "react";
import { serverClock } from "../../api/server-clock.js";
import { useText } from "../../i18n/use-text.js";
import { useDuration } from "../../text/format.js";

/** How long an answer still counts. */
export function Countdown({ until }: { readonly until: number | undefined }) {
  const toDuration = useDuration();
  const t = useText();
  const now = useNow();
  if (until === undefined || !Number.isFinite(until)) return null;
  const left = Math.max(0, Math.round((until - now) / 1000) * 1000);
  return (
    <span className="ml-auto text-xs text-muted tabular-nums">
      {t("approvals.expires", { time: toDuration(left) })}
    </span>
  );
}

/** The time, to the second. */
export function useNow(): number {
  const [now, setNow] = useState(serverClock.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverClock.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
