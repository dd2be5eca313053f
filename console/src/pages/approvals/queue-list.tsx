import { useTyped } from "../../address.js";
import { useText } from "../../i18n/use-text.js";
import { useDuration } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge, type Tone } from "../../ui/badge.js";
import { VirtualList } from "../../ui/virtual-list.js";
import { SearchField } from "../../ui/search-field.js";
import { useNow } from "./countdown.js";
import { type Grouping, groupings, type QueueRow, type WaitingItem } from "./waiting-item.js";

interface QueueListProps {
  readonly rows: readonly QueueRow[];
  /** All that waits, whatever is filtered. */
  readonly total: number;
  readonly chosen: string | undefined;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly grouping: Grouping;
  readonly onGrouping: (grouping: Grouping) => void;
  readonly onChoose: (id: string) => void;
}

/** Who waits for what, and since when. */
export function QueueList(props: QueueListProps) {
  const { rows, total, chosen, search, onSearch, grouping, onGrouping, onChoose } = props;
  const t = useText();
  const [typed, setTyped] = useTyped(search, onSearch);
  const count = rows.filter((row) => "item" in row).length;
  return (
    <section
      aria-label={t("approvals.queue")}
      className="flex max-h-[40vh] min-h-32 min-w-0 flex-none flex-col overflow-hidden rounded-md border border-line bg-panel lg:max-h-none lg:flex-[2]"
    >
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
        <SearchField
          label={t("approvals.filter")}
          value={typed}
          onChange={setTyped}
          className="min-w-60 flex-1"
        />
        <select
          className="field"
          aria-label={t("approvals.group")}
          value={grouping}
          onChange={(event) => onGrouping(event.target.value as Grouping)}
        >
          {groupings.map((name) => (
            <option key={name} value={name}>
              {t(`approvals.group.${name}`)}
            </option>
          ))}
        </select>
        <span className="text-xs text-muted">{t("approvals.count", { n: count, total })}</span>
      </div>
      <VirtualList
        label={t("approvals.queue")}
        count={rows.length}
        rowHeight={48}
        idAt={(index) => rows[index]?.id ?? ""}
        render={(index) => <Row row={rows[index]} />}
        selected={chosen}
        selectedIndex={rows.findIndex((row) => row.id === chosen)}
        onSelect={(id) => {
          if (rows.some((row) => row.id === id && "item" in row)) onChoose(id);
        }}
        className="flex-1"
      />
      <p className="hidden border-t border-line px-3 py-1 text-xs text-muted sm:block">
        {t("approvals.keys")}
      </p>
    </section>
  );
}

function Row({ row }: { readonly row: QueueRow | undefined }) {
  if (row === undefined) return null;
  if ("item" in row) return <ItemRow item={row.item} />;
  return (
    <div className="flex h-full items-end gap-2 pb-1 text-xs font-semibold">
      <span className="truncate">{row.heading}</span>
      <span className="text-muted">{row.count}</span>
    </div>
  );
}

function ItemRow({ item }: { readonly item: WaitingItem }) {
  const t = useText();
  const { approval, question } = item;
  return (
    <div className="flex h-full flex-col justify-center gap-0.5">
      <div className="flex items-center gap-2">
        {approval !== undefined && <Badge tone={riskTone(approval.risk)}>{t(`risk.${approval.risk}`)}</Badge>}
        {question !== undefined && <Badge tone="info">{t(`question.${question.question.kind}`)}</Badge>}
        <span className="truncate font-mono text-xs font-semibold">
          <PlainText text={item.toolName} line />
        </span>
        <Since time={item.since} />
      </div>
      <div className="flex gap-2 text-xs text-muted">
        <span className="max-w-[40%] shrink-0 truncate">
          <PlainText text={item.client} line />
        </span>
        <span className="truncate">
          <PlainText text={item.summary.slice(0, 200)} line />
        </span>
      </div>
    </div>
  );
}

function Since({ time }: { readonly time: number }) {
  const toDuration = useDuration();
  const waited = Math.max(0, useNow() - time);
  return (
    <span className="ml-auto shrink-0 text-xs text-muted tabular-nums">
      {toDuration(Math.round(waited / 1000) * 1000)}
    </span>
  );
}

/** The color of a risk; the word says the same. */
export function riskTone(risk: string): Tone {
  if (risk === "critical" || risk === "high") return "bad";
  return risk === "medium" ? "warn" : "plain";
}
