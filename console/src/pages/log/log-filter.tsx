import { useEffect, useState } from "react";
import { useText } from "../../i18n/use-text.js";

/** What is searched for; empty texts ask for nothing. */
export interface Filter {
  readonly text: string;
  readonly tool: string;
  readonly agent: string;
  readonly taskId: string;
  readonly outcome: string;
  readonly hours: string;
}

export const emptyFilter: Filter = { text: "", tool: "", agent: "", taskId: "", outcome: "", hours: "" };

/** The fields to search the log by; what is typed counts once the typing stops. */
export function LogFilter({
  filter,
  onChange,
}: {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}) {
  const t = useText();
  const [typed, setTyped] = useState(filter);
  useEffect(() => {
    const timer = setTimeout(() => onChange(typed), 250);
    return () => clearTimeout(timer);
  }, [typed, onChange]);
  const set = (key: keyof Filter) => (event: { target: { value: string } }) =>
    setTyped({ ...typed, [key]: event.target.value });
  return (
    <>
      <input
        type="search"
        className="field w-48"
        aria-label={t("log.text")}
        placeholder={t("log.text")}
        value={typed.text}
        onChange={set("text")}
      />
      <input
        className="field w-32"
        aria-label={t("log.tool")}
        placeholder={t("log.tool")}
        value={typed.tool}
        onChange={set("tool")}
      />
      <input
        className="field w-28"
        aria-label={t("fact.agent")}
        placeholder={t("fact.agent")}
        value={typed.agent}
        onChange={set("agent")}
      />
      <input
        className="field w-28"
        aria-label={t("fact.task")}
        placeholder={t("fact.task")}
        value={typed.taskId}
        onChange={set("taskId")}
      />
      <select className="field" aria-label={t("log.outcome")} value={typed.outcome} onChange={set("outcome")}>
        <option value="">{t("log.anyOutcome")}</option>
        <option value="success">{t("outcome.success")}</option>
        <option value="failure">{t("outcome.failure")}</option>
        <option value="denied">{t("outcome.denied")}</option>
        <option value="interrupted">{t("outcome.interrupted")}</option>
      </select>
      <select className="field" aria-label={t("log.since")} value={typed.hours} onChange={set("hours")}>
        <option value="">{t("log.anyTime")}</option>
        <option value="1">{t("log.hour")}</option>
        <option value="24">{t("log.day")}</option>
        <option value="168">{t("log.week")}</option>
      </select>
    </>
  );
}
