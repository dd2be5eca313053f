import type { PendingApproval } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { ChangeList } from "../../text/change-list.js";
import { isListed, type ListedChange } from "../../text/listed-change.js";
import { DiffView } from "../../text/diff-view.js";
import { PlainText } from "../../text/plain-text.js";
import { TextBlock } from "../../text/text-block.js";
import { RecordView } from "../../text/value-view.js";
import { Section } from "../../ui/panel.js";

/** What a call would do: its diff, its commands, its address. */
export function PreviewView({
  preview,
  shown,
  afterRun,
}: {
  readonly preview: NonNullable<PendingApproval["preview"]>;
  /** The arguments, which stand beside it: what is the same in both is shown once. */
  readonly shown: unknown;
  /** It has happened on a layer already. */
  readonly afterRun: boolean;
}) {
  const t = useText();
  const { changes, ...others } = preview.details ?? {};
  const listed = toListed(changes);
  const details = withoutShown(listed === undefined ? preview.details : others, shown);
  const commands = preview.commands?.filter((command) => !isShown(command.replace(/ {2}# .*$/s, ""), shown));
  return (
    <Section title={t(afterRun ? "approvals.effect" : "approvals.preview")}>
      <p className="mb-2 font-medium wrap-anywhere whitespace-pre-wrap">
        <PlainText text={preview.summary} />
      </p>
      {listed !== undefined && <ChangeList changes={listed} />}
      {preview.diff !== undefined && <DiffView diff={preview.diff} />}
      {commands !== undefined && commands.length > 0 && (
        <ol className="flex list-inside list-decimal flex-col gap-1" aria-label={t("approvals.commands")}>
          {commands.map((command, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- the same command may stand twice
            <li key={at} className="grid grid-cols-[1.5rem_1fr] items-start">
              <span className="pt-2 text-xs text-muted">{at + 1}.</span>
              <TextBlock text={command} label={t("approvals.commands")} className="max-h-40" />
            </li>
          ))}
        </ol>
      )}
      {preview.address !== undefined && (
        <p className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">
          <PlainText text={preview.address} />
        </p>
      )}
      {details !== undefined && (
        <div className="mt-2">
          <RecordView value={details} label={t("approvals.preview")} />
        </div>
      )}
    </Section>
  );
}

/** What a command changed, where that is all there is to each of the changes. */
function toListed(changes: unknown): readonly ListedChange[] | undefined {
  if (!Array.isArray(changes)) return undefined;
  const listed = changes.map((each: unknown) => {
    const { change, ...rest } = Object(each) as Readonly<Record<string, unknown>>;
    return { ...rest, kind: change };
  });
  return listed.every(isListed) ? listed : undefined;
}

function isShown(value: unknown, shown: unknown): boolean {
  if (typeof shown !== "object" || shown === null) return value === shown;
  const text = JSON.stringify(value);
  return Object.values(shown).some((member) => JSON.stringify(member) === text);
}

/** Members that do not stand among the arguments already; `undefined` where none is left. */
function withoutShown(details: unknown, shown: unknown): unknown {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return details;
  const rest = Object.entries(details).filter(([, member]) => !isShown(member, shown));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
