import { withQuery } from "../../api/request.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { lazy, Suspense, useState } from "react";
import { DiffView } from "../../text/diff-view.js";
import { TimeView } from "../../text/time-view.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Panel } from "../../ui/panel.js";
import { planText } from "./text.js";

const MarkdownView = lazy(() => import("../../text/markdown-view.js"));

interface Summary {
  readonly name: string;
  readonly iterationId: string;
  readonly version: number;
  readonly versions: number;
  readonly createdAt: number;
}
interface Whole extends Summary {
  readonly content: string;
  readonly changedOutside: boolean;
  readonly all: readonly { readonly version: number; readonly createdAt: number }[];
}

/** The documents of the pipeline: each version, and what changed between two. */
export function Artifacts() {
  const text = usePageText(planText);
  const wordOf = useWord();
  const list = useApi<readonly Summary[]>("/api/artifacts", { everyMs: 10_000 });
  const [selected, setSelected] = useState<Summary>();
  const chosen = selected ?? list.data?.[0];
  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <div className="flex flex-col gap-1 lg:w-80">
        <FaultNote fault={list.error} />
        {list.data?.length === 0 && <Empty>{text("noArtifacts")}</Empty>}
        {list.data?.map((artifact) => (
          <Button
            key={`${artifact.iterationId} ${artifact.name}`}
            aria-pressed={chosen?.name === artifact.name && chosen.iterationId === artifact.iterationId}
            className="justify-start aria-pressed:border-accent aria-pressed:text-accent"
            onClick={() => setSelected(artifact)}
          >
            {wordOf(artifact.name)}
            <span className="ml-auto text-muted">
              {text("version")} {artifact.version} · <TimeView time={artifact.createdAt} exact={false} />
            </span>
          </Button>
        ))}
      </div>
      <div className="min-w-0 flex-1">
        {chosen !== undefined && <ArtifactView key={`${chosen.iterationId} ${chosen.name}`} of={chosen} />}
      </div>
    </div>
  );
}

function ArtifactView({ of }: { readonly of: Summary }) {
  const t = useText();
  const text = usePageText(planText);
  const wordOf = useWord();
  const [version, setVersion] = useState(of.version);
  const [other, setOther] = useState<number>();
  const path = `/api/artifacts/${encodeURIComponent(of.name)}`;
  const iteration = of.iterationId;
  const artifact = useApi<Whole>(withQuery(path, { iteration, version }));
  const diff = useApi<{ readonly diff: string }>(
    withQuery(`${path}/diff`, { iteration, from: other, to: version }),
    {
      enabled: other !== undefined,
    },
  );
  const versions = artifact.data?.all ?? [];
  return (
    <Panel
      title={`${wordOf(of.name)} · ${of.iterationId}`}
      actions={
        <span className="flex flex-wrap gap-2">
          <VersionChoice
            label={text("version")}
            value={version}
            versions={versions}
            onChange={(next) => setVersion(next ?? version)}
          />
          <VersionChoice
            label={text("compareWith")}
            none={text("noComparison")}
            value={other}
            versions={versions}
            onChange={setOther}
          />
        </span>
      }
    >
      <FaultNote fault={artifact.error ?? diff.error} />
      {artifact.data?.changedOutside === true && (
        <p className="text-xs text-warn">{text("changedOutside")}</p>
      )}
      {other !== undefined && diff.data !== undefined && <DiffView diff={diff.data.diff} />}
      {other === undefined && artifact.data !== undefined && (
        <Suspense fallback={<p className="text-muted">{t("loading")}</p>}>
          <MarkdownView text={artifact.data.content} />
        </Suspense>
      )}
    </Panel>
  );
}

interface VersionChoiceProps {
  readonly label: string;
  readonly none?: string;
  readonly value: number | undefined;
  readonly versions: Whole["all"];
  readonly onChange: (version: number | undefined) => void;
}

function VersionChoice({ label, none, value, versions, onChange }: VersionChoiceProps) {
  return (
    <select
      className="field"
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))}
    >
      {none !== undefined && <option value="">{none}</option>}
      {versions.map(({ version }) => (
        <option key={version} value={version}>
          {label} {version}
        </option>
      ))}
    </select>
  );
}
