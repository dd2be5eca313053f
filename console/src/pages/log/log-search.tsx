import type { ReactNode } from "react";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { fieldOf, outcomes, type SearchProblem, withField } from "../../search/parse-search.js";
import { PlainText } from "../../text/plain-text.js";
import { logText } from "./text.js";

const spans = ["15m", "1h", "24h", "7d"] as const;

interface LogSearchProps {
  readonly typed: string;
  readonly onType: (typed: string) => void;
  /** The search that is in the address. */
  readonly q: string;
  readonly onSet: (q: string) => void;
  readonly problems: readonly SearchProblem[];
  readonly children: ReactNode;
}

/** The search with its fields; the choices beside it write into the same text. */
export function LogSearch({ typed, onType, q, onSet, problems, children }: LogSearchProps) {
  const t = useText();
  const own = usePageText(logText);
  const since = fieldOf(q, "since") ?? "";
  const isKnownSince = since !== "" && !problems.some(({ field }) => field === "since");
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <input
          type="search"
          className="field min-w-full flex-1 sm:min-w-80 font-mono text-xs"
          aria-label={own("search")}
          placeholder={own("example")}
          title={own("help")}
          spellCheck={false}
          data-search
          value={typed}
          onChange={(event) => onType(event.target.value)}
        />
        <select
          className="field"
          aria-label={own("outcome")}
          value={fieldOf(q, "outcome")?.toLowerCase() ?? ""}
          onChange={(event) => onSet(withField(q, "outcome", event.target.value || undefined))}
        >
          <option value="">{own("anyOutcome")}</option>
          {outcomes.map((outcome) => (
            <option key={outcome} value={outcome}>
              {t(`outcome.${outcome}`)}
            </option>
          ))}
        </select>
        <select
          className="field"
          aria-label={own("since")}
          value={isKnownSince ? since : ""}
          onChange={(event) =>
            onSet(withField(withField(q, "until", undefined), "since", event.target.value || undefined))
          }
        >
          <option value="">{own("anyTime")}</option>
          {spans.map((span) => (
            <option key={span} value={span}>
              {own(`since.${span}`)}
            </option>
          ))}
          {isKnownSince && !spans.some((span) => span === since) && <option value={since}>{since}</option>}
        </select>
        {children}
      </div>
      {problems.map(({ kind, field, value }) => (
        <p key={`${field}:${value}`} className="text-xs text-warn">
          <PlainText text={own(kind === "field" ? "unknownField" : "badValue", { field, value })} />
        </p>
      ))}
    </div>
  );
}
