import type { CallAnswer } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { useDuration } from "../../text/format.js";
import { ResultView } from "../../text/result-view.js";
import { ValueView } from "../../text/value-view.js";
import { Badge } from "../../ui/badge.js";
import { ErrorView } from "../../ui/error-view.js";
import { Section } from "../../ui/panel.js";

/** The answer of a call: how it ended, its result or error, and the envelope as it came. */
export function EnvelopeView({ envelope }: { readonly envelope: CallAnswer }) {
  const toDuration = useDuration();
  const t = useText();
  return (
    <section aria-label={t("tools.answer")} aria-live="polite" className="rounded border border-line p-3">
      <p className="mb-2 flex items-center gap-2 text-xs">
        <Badge tone={envelope.success ? "ok" : "bad"}>
          {t(envelope.success ? "state.succeeded" : "state.failed")}
        </Badge>
        <span className="tabular-nums">{toDuration(envelope.durationMs)}</span>
        <a className="font-mono text-accent underline" href={hrefOf("log", envelope.callId)}>
          {envelope.callId}
        </a>
        {envelope.metadata.untrusted === true && <Badge tone="warn">{t("tools.untrusted")}</Badge>}
      </p>
      {envelope.error !== undefined && <ErrorView error={envelope.error} />}
      {envelope.result !== undefined && (
        <Section title={t("fact.result")}>
          <ResultView value={envelope.result} label={t("fact.result")} />
        </Section>
      )}
      <details className="mt-3">
        <summary className="text-xs text-muted">{t("tools.envelope")}</summary>
        <ValueView value={envelope} label={t("tools.envelope")} />
      </details>
    </section>
  );
}
