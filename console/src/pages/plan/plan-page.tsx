import { choice, text, useAddress } from "../../address.js";
import type { PlanView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { usePageTitle } from "../../i18n/page-title.js";
import { useWord } from "../../i18n/use-word.js";
import { useText } from "../../i18n/use-text.js";
import { FoldedText } from "../../text/folded-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge, WordBadge } from "../../ui/badge.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Panel } from "../../ui/panel.js";
import { TabView } from "../../ui/tab-view.js";
import { Artifacts } from "./artifacts.js";
import { Board } from "./board.js";
import { Memories, scopes } from "./memories.js";
import { planText } from "./text.js";

type Item = PlanView["tasks"][number];

const params = {
  tab: text("plan"),
  q: text(),
  kind: text(),
  scope: choice(scopes, "all"),
  artifact: text(),
  version: text(),
  compare: text(),
};

/** What the agents plan and remember. */
export default function PlanPage() {
  const t = useText();
  const titleOf = usePageTitle();
  const own = usePageText(planText);
  const { values, set } = useAddress("plan", params);
  return (
    <TabView
      value={values.tab}
      onChange={(tab) => set({ tab })}
      label={titleOf("plan")}
      tabs={[
        { id: "plan", title: t("plan.plan"), content: <Plan /> },
        { id: "board", title: own("board"), content: <Board /> },
        { id: "artifacts", title: own("artifacts"), content: <Artifacts filter={values} onFilter={set} /> },
        {
          id: "memory",
          title: t("plan.memory"),
          content: <Memories filter={values} onFilter={set} />,
        },
      ]}
    />
  );
}

function Plan() {
  const t = useText();
  const { data: plan, error } = useApi<PlanView>("/api/plan", { everyMs: 5000 });
  if (plan === undefined)
    return error === null ? <p className="text-muted">{t("loading")}</p> : <FaultNote fault={error} />;
  return (
    <div className="flex flex-col gap-3">
      <Stages plan={plan} />
      <div className="grid gap-3 xl:grid-cols-3">
        <ItemPanel title={t("plan.requirements")} items={plan.requirements} links="" />
        <ItemPanel title={t("plan.features")} items={plan.features} links="requirementIds" />
        <ItemPanel title={t("plan.tasks")} items={plan.tasks} links="dependsOn" />
      </div>
    </div>
  );
}

function Stages({ plan }: { readonly plan: PlanView }) {
  const own = usePageText(planText);
  const wordOf = useWord();
  const t = useText();
  if (plan.stages.length === 0) return null;
  return (
    <Panel
      title={
        plan.iteration === undefined
          ? t("plan.stages")
          : own("stagesOf", { name: plan.iteration.name || plan.iteration.id })
      }
    >
      <ol className="flex flex-wrap gap-2">
        {plan.stages.map(({ stage, status }) => (
          <li key={stage} className="flex items-center gap-1.5 rounded border border-line px-2 py-1 text-xs">
            {wordOf(stage)} <WordBadge word={status} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function ItemPanel({
  title,
  items,
  links,
}: {
  readonly title: string;
  readonly items: readonly Item[];
  readonly links: string;
}) {
  const own = usePageText(planText);
  const t = useText();
  return (
    <Panel title={own("counted", { title, n: items.length })}>
      {items.length === 0 && <Empty>{t("plan.none")}</Empty>}
      <ul className="flex flex-col gap-2">
        {items.map((item) => (
          <PlanItem key={textOf(item, "id")} item={item} links={links} />
        ))}
      </ul>
    </Panel>
  );
}

function PlanItem({ item, links }: { readonly item: Item; readonly links: string }) {
  const t = useText();
  const state = textOf(item, "status") || textOf(item, "priority");
  const refers = listOf(item, links);
  const waits = new Set(listOf(item, "waitsFor"));
  return (
    <li className="rounded border border-line p-2 text-xs" id={`plan-${textOf(item, "id")}`}>
      <p className="flex flex-wrap items-center gap-2">
        <code className="text-muted">
          <PlainText text={textOf(item, "id")} />
        </code>
        <span className="font-medium">
          <PlainText text={textOf(item, "title")} />
        </span>
        {state !== "" && <WordBadge word={state} />}
        {item["ready"] === true && <Badge tone="ok">{t("plan.ready")}</Badge>}
      </p>
      {textOf(item, "description") !== "" && (
        <p className="mt-1 whitespace-pre-wrap text-muted">
          <FoldedText text={textOf(item, "description")} limit={1000} />
        </p>
      )}
      {textOf(item, "featureId") !== "" && (
        <p className="mt-1 text-muted">
          {t("plan.feature")} <code>{textOf(item, "featureId")}</code>
        </p>
      )}
      {refers.length > 0 && (
        <p className="mt-1 text-muted">
          {t(links === "dependsOn" ? "plan.dependsOn" : "plan.meets")}{" "}
          {refers.map((id) => (
            <code key={id} className={`mr-1 ${waits.has(id) ? "text-warn" : ""}`}>
              <PlainText text={id} />
            </code>
          ))}
        </p>
      )}
    </li>
  );
}

function textOf(item: Item, key: string): string {
  const value = item[key];
  return typeof value === "string" ? value : "";
}

function listOf(item: Item, key: string): readonly string[] {
  const value = item[key];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}
