import type { ReactNode } from "react";
import { useWord } from "../i18n/use-word.js";

export type Tone = "plain" | "ok" | "warn" | "bad" | "info" | "accent";

const tones: Record<Tone, string> = {
  plain: "bg-sunk text-muted border-line",
  ok: "bg-ok-soft text-ok border-transparent",
  warn: "bg-warn-soft text-warn border-transparent",
  bad: "bg-bad-soft text-bad border-transparent",
  info: "bg-info-soft text-info border-transparent",
  accent: "bg-accent-soft text-accent border-transparent",
};

/** A word with a color that says the same. */
export function Badge({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center rounded border px-1.5 py-px text-[11px] leading-4 font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {children}
    </span>
  );
}

/** The color of a verdict, a state or an outcome, whichever word is used for it. */
export function toneOf(word: string): Tone {
  if (/^(allow|success|succeeded|ready|healthy|done|same|approved|ok)$/i.test(word)) return "ok";
  if (/^(deny|failure|failed|error|unhealthy|different|rejected|high|open)$/i.test(word)) return "bad";
  if (
    /^(ask|asking|denied|waiting|connecting|blocked|medium|held|initializing|burst|probing|denials|interrupted)$/i.test(
      word,
    )
  )
    return "warn";
  if (/^(running|executing|in_progress|active|current)$/i.test(word)) return "info";
  return "plain";
}

/** A state, verdict or kind by its word, in the language of the person and with the color that fits. */
export function WordBadge({ word, tone }: { readonly word: string; readonly tone?: Tone }) {
  const wordOf = useWord();
  return <Badge tone={tone ?? toneOf(word)}>{wordOf(word)}</Badge>;
}
