import type { ConfigurationView, DoctorFinding } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { PlainText } from "../../text/plain-text.js";
import { WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Panel, Section } from "../../ui/panel.js";
import { SettingTable } from "./setting-table.js";
import { systemText } from "./text.js";

/** The machine: what works, and which configuration is in force. */
export default function SystemPage() {
  const text = usePageText(systemText);
  const configuration = useApi<ConfigurationView>("/api/configuration");
  const view = configuration.data;
  return (
    <div className="flex flex-col gap-3">
      <Doctor />
      <Panel title={text("configuration")}>
        <FaultNote fault={configuration.error} />
        {view !== undefined && (
          <>
            <Section title={text("sources")}>
              <ol className="list-decimal pl-5 text-xs">
                {view.sources.map(({ kind, file }) => (
                  <li key={`${kind} ${file ?? ""}`}>
                    <WordBadge word={kind} tone="plain" />{" "}
                    <code className="wrap-anywhere">
                      <PlainText text={file ?? ""} line />
                    </code>
                  </li>
                ))}
              </ol>
            </Section>
            {view.warnings.length > 0 && (
              <Section title={text("warnings")}>
                {view.warnings.map((warning) => (
                  <p key={warning} className="text-xs text-warn">
                    <PlainText text={warning} />
                  </p>
                ))}
              </Section>
            )}
            <Section title={text("settings")}>
              <p className="mb-1 text-xs text-muted">{text("about")}</p>
              <SettingTable view={view} />
            </Section>
          </>
        )}
      </Panel>
    </div>
  );
}

function Doctor() {
  const t = useText();
  const wordOf = useWord();
  const text = usePageText(systemText);
  const doctor = useApi<readonly DoctorFinding[]>("/api/doctor");
  return (
    <Panel
      title={text("doctor")}
      actions={
        <Button disabled={doctor.isFetching} onClick={() => void doctor.refetch()}>
          {text("again")}
        </Button>
      }
    >
      <FaultNote fault={doctor.error} />
      {doctor.isLoading && <p className="text-muted">{t("loading")}</p>}
      <ul className="flex flex-col gap-1 text-xs">
        {doctor.data?.map((finding) => (
          <li
            key={`${finding.name} ${finding.message}`}
            className="grid grid-cols-[3.5rem_1fr] items-baseline gap-x-2 sm:grid-cols-[3.5rem_8rem_1fr]"
          >
            <span>
              <WordBadge word={finding.status} tone={finding.status === "fail" ? "bad" : finding.status} />
            </span>
            <span className="font-medium">
              <PlainText text={wordOf(finding.name)} line />
            </span>
            <span className="col-start-2 min-w-0 wrap-anywhere text-muted sm:col-start-3">
              <PlainText text={finding.message} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
