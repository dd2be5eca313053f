import { memo } from "react";
import type { Call } from "../../feed/feed-state.js";
import { useText } from "../../i18n/use-text.js";
import { useDuration } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { ClockView } from "../../text/time-view.js";
import { toShort } from "../../text/value-view.js";
import { ListHead } from "../../ui/list-head.js";
import { stagesOf } from "./stages-of.js";

/** The time that a full bar stands for. */
export interface Scale {
  readonly from: number;
  readonly to: number;
}

const dots: Record<Call["state"], string> = {
  waiting: "bg-muted",
  asking: "bg-warn",
  running: "bg-info",
  succeeded: "bg-ok",
  failed: "bg-bad",
};

const bars = { waiting: "bg-muted", asking: "bg-warn", running: "bg-info" };

interface CallRowProps {
  readonly call: Call;
  readonly scale: Scale | undefined;
  /** Where the bars of a call end: its end, or this moment. */
  readonly now: number;
}

/** Beside an open call the list is narrow: the tool takes the place of the arguments. */
const columns = {
  tool: "w-36 shrink-0 truncate sm:@max-lg:w-auto sm:@max-lg:min-w-0 sm:@max-lg:flex-1",
  arguments: "min-w-0 flex-1 truncate sm:@max-lg:hidden",
};

/** One call in one line, with its stages as bars. */
export const CallRow = memo(({ call, scale, now }: CallRowProps) => {
  const t = useText();
  const toDuration = useDuration();
  return (
    <div className="flex h-full items-center gap-3 text-xs" data-call={call.callId} data-state={call.state}>
      <span className={`size-2 shrink-0 rounded-full ${dots[call.state]}`} />
      <span className="sr-only">{t(`state.${call.state}`)}</span>
      <span className="hidden w-16 shrink-0 text-muted tabular-nums sm:inline">
        <ClockView time={call.requestedAt} />
      </span>
      <span className={`${columns.tool} font-medium`}>
        <PlainText text={call.toolName} line />
      </span>
      <span className={`${columns.arguments} font-mono text-[11px] text-muted`}>
        <PlainText text={toShort(call.arguments)} />
      </span>
      <Bar call={call} scale={scale} now={now} />
      <span className="w-16 shrink-0 text-right tabular-nums">{toDuration(now - call.requestedAt)}</span>
    </div>
  );
});

/** Above the rows. */
export function CallHead() {
  const t = useText();
  return (
    <ListHead>
      <span className="w-2 shrink-0" />
      <span className="w-16 shrink-0">{t("fact.time")}</span>
      <span className={columns.tool}>{t("log.tool")}</span>
      <span className={columns.arguments}>{t("fact.arguments")}</span>
      <span className="w-1/5 shrink-0">{t("fact.stages")}</span>
      <span className="w-16 shrink-0 text-right">{t("fact.duration")}</span>
    </ListHead>
  );
}

function Bar({ call, scale, now: end }: CallRowProps) {
  const from = scale?.from ?? call.requestedAt;
  const width = Math.max(1, (scale?.to ?? end) - from);
  return (
    <span
      className="relative hidden h-2.5 w-1/5 shrink-0 overflow-hidden rounded-sm bg-sunk sm:block"
      aria-hidden="true"
    >
      {stagesOf(call, end).map(({ stage, from: begin, to }) => (
        <span
          key={`${stage}${begin}`}
          className={`absolute inset-y-0 min-w-[3px] ${stage === "running" && call.state === "failed" ? "bg-bad" : bars[stage]}`}
          style={{
            left: `${Math.min(98, ((begin - from) / width) * 100)}%`,
            width: `${((to - begin) / width) * 100}%`,
          }}
        />
      ))}
    </span>
  );
}
