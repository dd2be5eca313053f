import { useEffect, useState } from "react";
import { usePreferences } from "../preferences.js";
import { toRelative, toZoned } from "./format.js";

/** How long ago, with the exact time and its zone on hover. */
export function TimeView({ time, exact = true }: { readonly time: number; readonly exact?: boolean }) {
  const { language } = usePreferences();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
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
