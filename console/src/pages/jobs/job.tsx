import { useMutation, useQueryClient } from "@tanstack/react-query";
import { change } from "../../api/request.js";
import type { JobView } from "../../api/types.js";
import { type Translate, useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { PlainText } from "../../text/plain-text.js";
import { TextBlock } from "../../text/text-block.js";
import { TimeView } from "../../text/time-view.js";
import { Badge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { CopyButton } from "../../ui/copy-button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Facts, Panel } from "../../ui/panel.js";
import { JobInput } from "./job-input.js";
import { useJobOutput } from "./use-job-output.js";

/** One job: what it is, its output as it comes, and a line to type into it. */
export function Job({ job }: { readonly job: JobView }) {
  const t = useText();
  const client = useQueryClient();
  const path = `/api/jobs/${encodeURIComponent(job.sessionId)}/${encodeURIComponent(job.jobId)}`;
  const isRunning = job.state.kind !== "exited";
  const output = useJobOutput(path, isRunning);
  const stop = useMutation({
    mutationFn: () => change("POST", `${path}/stop`, {}),
    onSettled: () => client.invalidateQueries({ queryKey: ["/api/jobs"] }),
  });
  return (
    <Panel
      title={`${job.jobId} · ${job.sessionId}`}
      actions={
        <span className="flex items-center gap-2">
          {job.pty && <Badge>{t("jobs.terminal")}</Badge>}
          <Badge tone={isRunning ? "info" : "plain"}>{stateText(job, t)}</Badge>
          {isRunning && (
            <Button look="danger" disabled={stop.isPending} onClick={() => stop.mutate()}>
              {t("jobs.stop")}
            </Button>
          )}
        </span>
      }
    >
      <FaultNote fault={stop.error ?? output.error} />
      <pre className="mb-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        <PlainText text={job.command} /> <CopyButton text={job.command} name={t("fact.command")} />
      </pre>
      <Facts
        rows={[
          [t("jobs.folder"), <PlainText key="folder" text={job.cwd} line />],
          [t("jobs.started"), <TimeView key="started" time={job.startedAt} />],
          [t("jobs.pid"), String(job.pid)],
          [
            t("jobs.call"),
            <a key="call" className="text-accent underline" href={hrefOf("log", job.callId)}>
              {job.callId}
            </a>,
          ],
        ]}
      />
      <div className="mt-2">
        {output.isCut && <p className="text-xs text-muted">{t("jobs.earlier")}</p>}
        {output.text === "" ? (
          <p className="text-xs text-muted">{t("jobs.noOutput")}</p>
        ) : (
          <TextBlock
            text={output.text}
            label={t("jobs.output", { job: job.jobId })}
            printed
            follow
            className="max-h-72"
          />
        )}
      </div>
      {isRunning && <JobInput path={path} job={job} />}
    </Panel>
  );
}

function stateText({ state }: JobView, t: Translate): string {
  if (state.kind === "exited") {
    return state.signal === null
      ? t("jobs.state.exited", { code: state.exitCode ?? "?" })
      : t("jobs.state.killed", { signal: state.signal });
  }
  if (state.kind === "listening") return t("jobs.state.listening", { ports: state.ports.join(", ") });
  return t(state.kind === "running" ? "jobs.state.running" : "jobs.state.waiting");
}
