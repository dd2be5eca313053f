import { useEffect, useRef, useState } from "react";
import { useText } from "../../i18n/use-text.js";
import { Button } from "../../ui/button.js";

interface RefusalFormProps {
  /** Requests of the same session that wait, this one among them. */
  readonly inSession: number;
  readonly onRefuse: (reason: string, all: boolean) => void;
  readonly onCancel: () => void;
}

/** No, with a reason that the agent is told; for this request, or for all of its session. */
export function RefusalForm({ inSession, onRefuse, onCancel }: RefusalFormProps) {
  const t = useText();
  const [reason, setReason] = useState("");
  const [all, setAll] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onRefuse(reason.trim(), all);
      }}
      onKeyDown={(event) => event.key === "Escape" && onCancel()}
    >
      <input
        ref={input}
        className="field min-w-64 flex-1"
        aria-label={t("approvals.reason")}
        placeholder={t("approvals.reason")}
        value={reason}
        maxLength={10_000}
        onChange={(event) => setReason(event.target.value)}
      />
      {inSession > 1 && (
        <label className="flex items-center gap-1.5 text-xs">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} />
          {t("approvals.refuseAll", { n: inSession })}
        </label>
      )}
      <Button look="danger" type="submit">
        {t("approvals.refuse")}
      </Button>
      <Button onClick={onCancel}>{t("cancel")}</Button>
    </form>
  );
}
