import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { change } from "../../api/request.js";
import type { JobView } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";

interface JobInputProps {
  readonly path: string;
  readonly job: JobView;
}

const interrupt = "\u0003";

/** A line to type into a job, and what no line can say. */
export function JobInput({ path, job }: JobInputProps) {
  const t = useText();
  const [line, setLine] = useState("");
  const type = useMutation({
    mutationFn: (input: { text: string; end?: boolean }) => change("POST", `${path}/input`, input),
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    // A terminal sends what the Enter key sends.
    type.mutate(
      { text: line + (job.pty ? "\r" : "\n") },
      {
        // What was typed meanwhile stays.
        onSuccess: () => setLine((now) => (now === line ? "" : now)),
      },
    );
  };
  return (
    <>
      <FaultNote fault={type.error} />
      <form onSubmit={send} className="mt-2 flex flex-wrap items-center gap-2">
        <input
          aria-label={t("jobs.type", { job: job.jobId })}
          placeholder={t("jobs.type", { job: job.jobId })}
          value={line}
          onChange={(event) => setLine(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          maxLength={60_000}
          className="min-h-7 min-w-40 flex-1 rounded border border-line bg-sunk px-2 font-mono text-xs"
        />
        <Button type="submit" look="main" disabled={type.isPending}>
          {t("jobs.send")}
        </Button>
        {job.pty ? (
          <Button disabled={type.isPending} onClick={() => type.mutate({ text: interrupt })}>
            {t("jobs.interrupt")}
          </Button>
        ) : (
          <Button disabled={type.isPending} onClick={() => type.mutate({ text: "", end: true })}>
            {t("jobs.endInput")}
          </Button>
        )}
      </form>
    </>
  );
}
