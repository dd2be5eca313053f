import { useDuration } from "../../text/format.js";
import type { TimeScale } from "./span-row.js";

/** The time since the first call, above the bars. */
export function TimeAxis({ scale }: { readonly scale: TimeScale }) {
  const toDuration = useDuration();
  const width = scale.to - scale.from;
  return (
    <div
      className="@container hidden h-7 items-center gap-2 border-b border-line bg-sunk px-3 text-[11px] text-muted sm:flex"
      aria-hidden="true"
    >
      <span className="flex-1" />
      <span className="relative h-4 w-2/5 shrink-0 whitespace-nowrap tabular-nums">
        <span className="absolute left-0">{toDuration(0)}</span>
        {[0.25, 0.5, 0.75].map((share) => (
          <span
            key={share}
            className="absolute hidden -translate-x-1/2 @3xl:inline"
            style={{ left: `${share * 100}%` }}
          >
            {toDuration(width * share)}
          </span>
        ))}
        <span className="absolute right-0">{toDuration(width)}</span>
      </span>
      <span className="w-16 shrink-0" />
    </div>
  );
}
