import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { SimulationView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { hrefOf } from "../../route.js";
import { PlainText } from "../../text/plain-text.js";
import { toShort } from "../../text/value-view.js";
import { WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { policyText } from "./text.js";

const spans = ["60", "1440", "10080", "43200"] as const;
const limit = 5000;

/** Which past calls a rule would decide differently; nothing runs and no rule changes. */
export function SimulateBox({ rule }: { readonly rule: Readonly<Record<string, string>> }) {
  const text = usePageText(policyText);
  const [minutes, setMinutes] = useState<(typeof spans)[number]>("1440");
  const simulate = useMutation({
    mutationFn: () =>
      change<SimulationView>("POST", "/api/policy/simulate", {
        rules: [rule],
        minutes: Number(minutes),
        limit,
      }),
  });
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-2">
      <div className="flex flex-wrap items-center gap-2 text-xs">
        <label className="flex items-center gap-2">
          {text("simulateSpan")}
          <select
            className="field"
            value={minutes}
            onChange={(event) => setMinutes(event.target.value as (typeof spans)[number])}
          >
            {spans.map((span) => (
              <option key={span} value={span}>
                {text(`span.${span}`)}
              </option>
            ))}
          </select>
        </label>
        <Button disabled={simulate.isPending} onClick={() => simulate.mutate()}>
          {text("simulate")}
        </Button>
      </div>
      <FaultNote fault={simulate.error} />
      <div role="status" className="text-xs">
        {simulate.isPending && <p className="text-muted">{text("simulating")}</p>}
        {simulate.data !== undefined && <Result view={simulate.data} />}
      </div>
    </div>
  );
}

function Result({ view }: { readonly view: SimulationView }) {
  const text = usePageText(policyText);
  const { changes, calls, changed, allow, ask, deny } = view;
  const unjudged = calls - allow - ask - deny;
  const listed = changes.reduce((sum, one) => sum + one.calls, 0);
  return (
    <>
      <p className="font-medium">{text("simulated", { calls, changed, allow, ask, deny })}</p>
      {unjudged > 0 && <p className="text-muted">{text("notJudged", { n: unjudged })}</p>}
      {calls >= limit && <p className="text-warn">{text("simulatedLimit", { n: limit })}</p>}
      {listed < changed && <p className="text-warn">{text("moreChanges", { n: changes.length })}</p>}
      <ul className="mt-1 flex max-h-80 flex-col gap-1 overflow-auto" aria-label={text("simulate")}>
        {changes.map((one) => (
          <li key={one.lastCallId} className="flex flex-wrap items-center gap-x-2">
            <span>
              <WordBadge word={one.from} /> → <WordBadge word={one.to} />
            </span>
            {one.calls > 1 && <span className="tabular-nums">{text("times", { n: one.calls })}</span>}
            <a className="text-accent underline" href={hrefOf("log", one.lastCallId)}>
              <PlainText text={one.tool} line />
            </a>
            <span className="min-w-0 flex-1 truncate font-mono text-[11px] text-muted">
              <PlainText
                text={
                  one.paths === undefined
                    ? toShort(one.arguments)
                    : text("changedPaths", { paths: one.paths.join(", ") })
                }
                line
              />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
