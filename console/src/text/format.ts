import { useCallback } from "react";
import { serverClock } from "../api/server-clock.js";
import { type Language, usePreferences } from "../preferences.js";

const units = {
  en: { ms: "ms", s: "s", min: "min", h: "h" },
  zh: { ms: "毫秒", s: "秒", min: "分", h: "小时" },
};

/** Milliseconds in the unit that fits. */
function toDuration(ms: number | null | undefined, language: Language = "en"): string {
  const { ms: unit, s, min, h } = units[language];
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "–";
  // A clock that was set back makes a call end before it began.
  if (ms <= 0) return `0 ${unit}`;
  if (ms < 0.95) return `${ms < 0.1 ? ms.toPrecision(1) : ms.toFixed(1)} ${unit}`;
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ${unit}`;
  if (Math.round(ms / 100) < 600) return `${Number((ms / 1000).toFixed(1))} ${s}`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (minutes < 60) return rest === 0 ? `${minutes} ${min}` : `${minutes} ${min} ${rest} ${s}`;
  return minutes % 60 === 0
    ? `${Math.floor(minutes / 60)} ${h}`
    : `${Math.floor(minutes / 60)} ${h} ${minutes % 60} ${min}`;
}

/** Durations in the language of the person. */
export function useDuration(): (ms: number | null | undefined) => string {
  const { language } = usePreferences();
  return useCallback((ms) => toDuration(ms, language), [language]);
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** A time of day with seconds; on another day its date and the time without them, which is as long. */
export function toTime(time: number, now = serverClock.now()): string {
  const date = new Date(time);
  const of = clock.format(date);
  const today = new Date(now);
  if (date.getDate() === today.getDate() && Math.abs(now - time) < 86_400_000) return of;
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())} ${of.slice(0, 5)}`;
  return date.getFullYear() === today.getFullYear() ? day : `${date.getFullYear()}-${day}`;
}

/** Bytes in the unit that fits. */
export function toBytes(bytes: number | null): string {
  if (bytes === null) return "–";
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const steps = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** "5 minutes ago". */
export function toRelative(time: number, now: number, language: string): string {
  const [unit, size] = steps.find(([, ms]) => Math.abs(now - time) >= ms) ?? ["second", 1000];
  const format = new Intl.RelativeTimeFormat(language === "zh" ? "zh-CN" : "en", { numeric: "auto" });
  return format.format(-Math.round((now - time) / size), unit);
}

/** A date and time with its zone. */
export function toZoned(time: number, language: string): string {
  return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", {
    dateStyle: "medium",
    timeStyle: "long",
  }).format(time);
}
