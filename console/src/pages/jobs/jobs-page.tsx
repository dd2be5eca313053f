import type { JobView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { Job } from "./job.js";

/** The background jobs of all sessions, newest first. */
export default function JobsPage() {
  const t = useText();
  const jobs = useApi<readonly JobView[]>("/api/jobs", { everyMs: 1500 });
  return (
    <div className="flex flex-col gap-3">
      <FaultNote fault={jobs.error} />
      {jobs.data?.length === 0 && <Empty>{t("jobs.none")}</Empty>}
      {jobs.data
        ?.toSorted((one, other) => other.startedAt - one.startedAt)
        .map((job) => (
          <Job key={`${job.sessionId} ${job.jobId}`} job={job} />
        ))}
    </div>
  );
}
