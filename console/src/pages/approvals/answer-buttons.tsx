import { useText } from "../../i18n/use-text.js";
import { Button } from "../../ui/button.js";
import { Key } from "./keys-help.js";

interface AnswerButtonsProps {
  readonly busy: boolean;
  /** Something of the request is folded: nobody can allow what they did not open. */
  readonly folded: boolean;
  readonly canAlways: boolean;
  /** Nothing of the arguments is hidden; `undefined` if they cannot be changed any more. */
  readonly canEdit: boolean | undefined;
  readonly onAnswer: (verdict: "once" | "session" | "always") => void;
  readonly onEdit: () => void;
  readonly onRefuse: () => void;
}

/** The answers to a request, each with its key. */
export function AnswerButtons(props: AnswerButtonsProps) {
  const { busy, folded, canAlways, canEdit, onAnswer, onEdit, onRefuse } = props;
  const t = useText();
  const closed = busy || folded;
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="main" disabled={closed} onClick={() => onAnswer("once")}>
        {t("approvals.once")} <Key name="a" />
      </Button>
      <Button disabled={closed} onClick={() => onAnswer("session")}>
        {t("approvals.session")} <Key name="s" />
      </Button>
      {canAlways && (
        <Button disabled={closed} onClick={() => onAnswer("always")}>
          {t("approvals.alwaysDo")} <Key name="A" />
        </Button>
      )}
      {canEdit !== undefined && (
        <Button
          disabled={busy || !canEdit}
          title={canEdit ? undefined : t("approvals.noEdit")}
          onClick={onEdit}
        >
          {t("approvals.edit")} <Key name="e" />
        </Button>
      )}
      <Button look="danger" disabled={busy} onClick={onRefuse}>
        {t("approvals.no")} <Key name="r" />
      </Button>
      {folded && <p className="self-center text-xs text-warn">{t("approvals.folded")}</p>}
    </div>
  );
}
