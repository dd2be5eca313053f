import { useDuration } from "../../text/format.js";
import type { TimeScale } from "./span-row.js";

/** The time since the first call, above the bars. */
export function TimeAxis({ scale }: { readonly scale: TimeScale }) {
  const toDuration = useDuration();
  const width = scale.to - scale.from;
  return (
    <div className="hidden border-b border-line px-3 py-1 text-[11px] text-muted sm:flex" aria-hidden="true">
      <span className="flex-1" />
      <span className="flex w-2/5 justify-between pr-1 tabular-nums">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{toDuration(width * share)}</span>
        ))}
      </span>
      <span className="w-16" />
    </div>
  );
}
