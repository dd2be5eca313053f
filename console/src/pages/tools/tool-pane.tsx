import { useMutation, useQueryClient } from "@tanstack/react-query";
import { change } from "../../api/request.js";
import type { ShownRecord, ToolDetail } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { hasCutArguments, recordPath } from "../../api/whole-arguments.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { PlainText } from "../../text/plain-text.js";
import { ClockView } from "../../text/time-view.js";
import { ValueView } from "../../text/value-view.js";
import { Badge, WordBadge } from "../../ui/badge.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Facts, Section } from "../../ui/panel.js";
import { TabView } from "../../ui/tab-view.js";
import { Toggle } from "../../ui/toggle.js";
import { HeldNote } from "./held-note.js";
import { TryTool } from "./try-tool.js";

interface ToolPaneProps {
  readonly name: string;
  /** The call whose arguments the form starts with, or "". */
  readonly from: string;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
}

/** One tool: what it is, how it does, its schema, and a form to try it. */
export function ToolPane({ name, from, tab, onTab }: ToolPaneProps) {
  const t = useText();
  const client = useQueryClient();
  const path = `/api/tools/${encodeURIComponent(name)}`;
  const detail = useApi<ToolDetail>(path);
  const toggle = useMutation({
    mutationFn: (enabled: boolean) => change("POST", `${path}/state`, { enabled }),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: [path] });
      await client.invalidateQueries({ queryKey: ["/api/tools"] });
    },
  });
  const tool = detail.data;
  if (tool === undefined)
    return detail.error === null ? (
      <p className="text-muted">{t("loading")}</p>
    ) : (
      <>
        <FaultNote fault={detail.error} />
        <HeldNote name={name} />
      </>
    );
  return (
    <article className="rounded-md border border-line bg-panel p-4" aria-label={tool.name}>
      <header className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="text-sm font-semibold">
          <PlainText text={tool.name} line />
        </h2>
        <Badge>{tool.version}</Badge>
        <WordBadge word={tool.state.toLowerCase()} />
        {tool.annotations.readOnly === true && <Badge tone="ok">{t("tools.readOnly")}</Badge>}
        {tool.annotations.dangerous === true && <Badge tone="warn">{t("tools.dangerous")}</Badge>}
        {tool.annotations.openWorld === true && <Badge tone="info">{t("tools.openWorld")}</Badge>}
        <span className="ml-auto">
          <Toggle
            label={t("tools.enabled")}
            checked={tool.enabled}
            disabled={toggle.isPending}
            onChange={toggle.mutate}
          />
        </span>
      </header>
      <FaultNote fault={toggle.error} />
      <p className="mb-3 max-w-prose whitespace-pre-wrap">
        <PlainText text={tool.description} />
      </p>
      {!tool.enabled && tool.origin.startsWith("mcp:") && <HeldNote name={tool.name} />}
      <TabView
        label={tool.name}
        value={tab}
        onChange={onTab}
        tabs={[
          { id: "try", title: t("tools.try"), content: <FilledForm tool={tool} from={from} /> },
          { id: "schema", title: t("tools.schema"), content: <Schemas tool={tool} /> },
          { id: "facts", title: t("tools.facts"), content: <ToolFacts tool={tool} /> },
        ]}
      />
    </article>
  );
}

/** The form, with the arguments of an earlier call where one is named. */
function FilledForm({ tool, from }: { readonly tool: ToolDetail; readonly from: string }) {
  const t = useText();
  const shown = useApi<ShownRecord>(`${recordPath(from)}/shown`, { enabled: from !== "" });
  const isCut = shown.data !== undefined && hasCutArguments(shown.data);
  const whole = useApi<Pick<ShownRecord, "arguments">>(recordPath(from), { enabled: isCut });
  if (from === "") return <TryTool tool={tool} initial={undefined} />;
  const earlier = isCut ? whole : shown;
  if (earlier.data === undefined)
    return earlier.error === null ? (
      <p className="text-muted">{t("loading")}</p>
    ) : (
      <FaultNote fault={earlier.error} />
    );
  return <TryTool tool={tool} initial={earlier.data.arguments} />;
}

function Schemas({ tool }: { readonly tool: ToolDetail }) {
  const t = useText();
  return (
    <>
      <Section title={t("tools.input")}>
        <ValueView value={tool.inputSchema} label={t("tools.input")} />
      </Section>
      {tool.outputSchema !== undefined && (
        <Section title={t("tools.output")}>
          <ValueView value={tool.outputSchema} label={t("tools.output")} />
        </Section>
      )}
    </>
  );
}

function ToolFacts({ tool }: { readonly tool: ToolDetail }) {
  const t = useText();
  const wordOf = useWord();
  return (
    <>
      <Facts
        rows={[
          [t("tools.origin"), <PlainText key="origin" text={wordOf(tool.origin)} line />],
          [t("tools.category"), wordOf(tool.category)],
          [t("tools.versions"), tool.versions.join(", ")],
          [t("tools.aliases"), tool.aliases.join(", ")],
          [
            t("tools.health"),
            <span key="health">
              <WordBadge word={tool.health.status} /> <PlainText text={tool.health.message} />
            </span>,
          ],
        ]}
      />
      {tool.history.length > 0 && (
        <Section title={t("tools.history")}>
          <ol className="text-xs">
            {tool.history.map((step) => (
              <li key={`${step.at}${step.from}${step.to}`}>
                <span className="text-muted">
                  <ClockView time={step.at} />
                </span>{" "}
                {wordOf(step.from.toLowerCase())} → {wordOf(step.to.toLowerCase())}{" "}
                {step.reason !== undefined && <PlainText text={step.reason} />}
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}
