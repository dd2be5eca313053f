import { useEffect, useState } from "react";
import { serverClock } from "../api/server-clock.js";
import { usePreferences } from "../preferences.js";
import { toRelative, toTime, toZoned } from "./format.js";

/** A time of day, with the exact time and its zone on hover. */
export function ClockView({ time }: { readonly time: number }) {
  const { language } = usePreferences();
  return (
    <time dateTime={new Date(time).toISOString()} title={toZoned(time, language)} className="tabular-nums">
      {toTime(time)}
    </time>
  );
}

/** How long ago, with the exact time and its zone on hover. */
export function TimeView({ time, exact = true }: { readonly time: number; readonly exact?: boolean }) {
  const { language } = usePreferences();
  const [now, setNow] = useState(serverClock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(serverClock.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  const whole = toZoned(time, language);
  return (
    <time dateTime={new Date(time).toISOString()} title={whole} className="tabular-nums">
      {exact ? `${whole} · ` : ""}
      {toRelative(time, now, language)}
    </time>
  );
}
