import { withQuery } from "../../api/request.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { lazy, Suspense } from "react";
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

/** What the address says: the document, by its iteration and name, the version that is read, and another one. */
export interface ArtifactFilter {
  readonly artifact: string;
  readonly version: string;
  readonly compare: string;
}
interface ArtifactsProps {
  readonly filter: ArtifactFilter;
  readonly onFilter: (change: Partial<ArtifactFilter>) => void;
}

/** The documents of the pipeline: each version, and what changed between two. */
export function Artifacts({ filter, onFilter }: ArtifactsProps) {
  const text = usePageText(planText);
  const wordOf = useWord();
  const list = useApi<readonly Summary[]>("/api/artifacts", { everyMs: 10_000 });
  const wanted = filter.artifact;
  const chosen = wanted === "" ? list.data?.[0] : list.data?.find((one) => keyOf(one) === wanted);
  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <div className="flex flex-col gap-1 lg:w-80">
        <FaultNote fault={list.error} />
        {list.data?.length === 0 && <Empty>{text("noArtifacts")}</Empty>}
        {list.data?.map((artifact) => (
          <Button
            key={keyOf(artifact)}
            aria-pressed={artifact === chosen}
            className="justify-start aria-pressed:border-accent aria-pressed:text-accent"
            onClick={() => onFilter({ artifact: keyOf(artifact), version: "", compare: "" })}
          >
            {wordOf(artifact.name)}
            <span className="ml-auto text-muted">
              {text("version")} {artifact.version} · <TimeView time={artifact.createdAt} exact={false} />
            </span>
          </Button>
        ))}
      </div>
      <div className="min-w-0 flex-1">
        {list.data !== undefined && wanted !== "" && chosen === undefined && (
          <Empty>{text("unknownArtifact")}</Empty>
        )}
        {chosen !== undefined && <ArtifactView of={chosen} filter={filter} onFilter={onFilter} />}
      </div>
    </div>
  );
}

function keyOf({ iterationId, name }: Summary): string {
  return `${iterationId}/${name}`;
}

function ArtifactView({ of, filter, onFilter }: ArtifactsProps & { readonly of: Summary }) {
  const t = useText();
  const text = usePageText(planText);
  const wordOf = useWord();
  const version = toVersion(filter.version) ?? of.version;
  const other = toVersion(filter.compare);
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
            onChange={(next) => onFilter({ version: next === of.version ? "" : String(next) })}
          />
          <VersionChoice
            label={text("compareWith")}
            none={text("noComparison")}
            value={other}
            versions={versions.filter((one) => one.version !== version || version === other)}
            onChange={(next) => onFilter({ compare: next === undefined ? "" : String(next) })}
          />
        </span>
      }
    >
      <FaultNote fault={artifact.error ?? diff.error} />
      {artifact.data?.changedOutside === true && (
        <p className="text-xs text-warn">{text("changedOutside")}</p>
      )}
      {other !== undefined && diff.data?.diff === "" && (
        <p className="text-xs text-muted">{t("call.compareSame")}</p>
      )}
      {other !== undefined && diff.data !== undefined && diff.data.diff !== "" && (
        <DiffView diff={diff.data.diff} />
      )}
      {other === undefined && artifact.data !== undefined && (
        <Suspense fallback={<p className="text-muted">{t("loading")}</p>}>
          <MarkdownView text={artifact.data.content} />
        </Suspense>
      )}
    </Panel>
  );
}

function toVersion(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
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
