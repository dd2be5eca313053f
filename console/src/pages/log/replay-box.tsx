import { useMutation } from "@tanstack/react-query";
import { change } from "../../api/request.js";
import type { ReplayView } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { DiffView } from "../../text/diff-view.js";
import { PlainText } from "../../text/plain-text.js";
import { WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Section } from "../../ui/panel.js";

/** Run a task again on a copy of the workspace, and tell whether the same came out. */
export function ReplayBox({ taskId }: { readonly taskId: string }) {
  const t = useText();
  const replay = useMutation({ mutationFn: () => change<ReplayView>("POST", "/api/log/replay", { taskId }) });
  return (
    <Section title={t("log.replay")}>
      <Button disabled={replay.isPending} onClick={() => replay.mutate()}>
        {t("log.replayTask")}
      </Button>
      <FaultNote fault={replay.error} />
      <div role="status" className="text-xs">
        {replay.isPending && <p className="mt-2 text-muted">{t("log.replaying")}</p>}
        {replay.data !== undefined && <Verdict view={replay.data} />}
      </div>
      {replay.data !== undefined && <Steps view={replay.data} />}
    </Section>
  );
}

function Verdict({ view }: { readonly view: ReplayView }) {
  const t = useText();
  const run = view.steps.filter(({ verdict }) => verdict !== "skipped").length;
  const counts = { run, all: view.steps.length };
  if (!view.same) return <p className="mt-2 font-medium text-bad">{t("log.replayOther", counts)}</p>;
  // Nothing that was run says nothing.
  if (run === 0) return <p className="mt-2 font-medium text-warn">{t("log.replayNone")}</p>;
  return <p className="mt-2 font-medium text-ok">{t("log.replaySame", counts)}</p>;
}

function Steps({ view }: { readonly view: ReplayView }) {
  const t = useText();
  return (
    <>
      {view.notes?.map((note) => (
        <p key={note} className="mt-1 text-xs text-warn">
          <PlainText text={note} />
        </p>
      ))}
      <ol className="mt-2 flex flex-col gap-1 text-xs" aria-label={t("log.replay")}>
        {view.steps.map((step) => (
          <li key={step.callId}>
            <WordBadge word={step.verdict} /> <PlainText text={step.tool} line />{" "}
            {step.reason !== undefined && (
              <span className="text-muted">
                <PlainText text={step.reason} />
              </span>
            )}
            {step.difference !== undefined && <DiffView diff={step.difference} className="max-h-60" />}
          </li>
        ))}
      </ol>
    </>
  );
}
