import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { ShownRecord } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Panel } from "../../ui/panel.js";
import { SimulateBox } from "./simulate-box.js";
import { policyText } from "./text.js";

const conditions = [
  "tool",
  "path",
  "command",
  "host",
  "agent",
  "user",
  "client",
  "role",
  "endpoint",
  "session",
] as const;
const decisions = ["allow", "ask", "deny"] as const;

type Draft = Readonly<Record<string, string>>;

/** The rule that is edited: its id and what it says. */
export interface EditedRule {
  readonly id: string;
  readonly conditions: Readonly<Record<string, unknown>>;
}

interface RuleFormProps {
  /** The call that the rule is made from, or "". */
  readonly from: string;
  readonly edited: EditedRule | undefined;
  readonly onDone: () => void;
}

/** A form for a rule: new, of a call, or of a saved one. */
export function RuleForm({ from, edited, onDone }: RuleFormProps) {
  const t = useText();
  const call = useApi<ShownRecord>(`/api/log/${encodeURIComponent(from)}/shown`, {
    enabled: from !== "" && edited === undefined,
  });
  if (edited !== undefined)
    return (
      <Form key={edited.id} start={toDraft(edited.conditions)} edited={edited} from="" onDone={onDone} />
    );
  if (from === "")
    return <Form key="new" start={{ decision: "deny" }} edited={undefined} from="" onDone={onDone} />;
  if (call.data === undefined)
    return call.error === null ? (
      <p className="text-muted">{t("loading")}</p>
    ) : (
      <FaultNote fault={call.error} />
    );
  return <Form key={from} start={draftOf(call.data)} edited={undefined} from={from} onDone={onDone} />;
}

interface FormProps extends RuleFormProps {
  readonly start: Draft;
}

function Form({ start, edited, from, onDone }: FormProps) {
  const t = useText();
  const text = usePageText(policyText);
  const wordOf = useWord();
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>(start);
  const set = (name: string, value: string) => setDraft({ ...draft, [name]: value });
  const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value.trim() !== ""));
  const save = useMutation({
    mutationFn: () =>
      edited === undefined
        ? change<{ readonly id: string }>("POST", "/api/policy/rules", given)
        : change<{ readonly id: string }>("PUT", `/api/policy/rules/${encodeURIComponent(edited.id)}`, given),
    onSuccess: () => client.invalidateQueries({ queryKey: ["/api/policy"] }),
  });
  return (
    <Panel title={edited === undefined ? text("add") : text("editRule", { id: edited.id })}>
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {from !== "" && <p className="text-xs text-info">{text("prefilled", { id: from })}</p>}
        <p className="text-xs text-muted">{text("help")}</p>
        <div className="grid gap-2 sm:grid-cols-2 xl:grid-cols-4">
          <label className="flex flex-col gap-0.5 text-xs">
            {text("decision")}
            <select
              className="field"
              value={draft["decision"]}
              onChange={(event) => set("decision", event.target.value)}
            >
              {decisions.map((decision) => (
                <option key={decision} value={decision}>
                  {wordOf(decision)}
                </option>
              ))}
            </select>
          </label>
          {[...conditions, "reason" as const].map((name) => (
            <label key={name} className="flex flex-col gap-0.5 text-xs">
              {text(name)}
              <input
                className="field font-mono"
                spellCheck={false}
                value={draft[name] ?? ""}
                onChange={(event) => set(name, event.target.value)}
              />
            </label>
          ))}
        </div>
        <FaultNote fault={save.error} />
        {save.data !== undefined && (
          <p role="status" className="text-xs text-ok">
            <PlainText text={text("saved", { id: save.data.id })} line />
          </p>
        )}
        <p className="flex gap-2">
          <Button look="main" type="submit" disabled={save.isPending}>
            {text("save")}
          </Button>
          {(edited !== undefined || from !== "") && <Button onClick={onDone}>{t("cancel")}</Button>}
        </p>
        <SimulateBox rule={given} />
      </form>
    </Panel>
  );
}

/** What of a call a rule can be about. */
function draftOf({ tool, agent, arguments: args, outcome }: ShownRecord): Draft {
  const { path, command, url } = Object(args) as Readonly<Record<string, unknown>>;
  return {
    decision: outcome === "denied" ? "allow" : "deny",
    tool,
    agent,
    ...(typeof path === "string" && { path }),
    ...(typeof command === "string" && { command }),
    ...(typeof url === "string" && URL.canParse(url) && { host: new URL(url).host }),
  };
}

/** Whether the form can show all of a rule; lists and other conditions are for the configuration file. */
export function isEditable(rule: Readonly<Record<string, unknown>>): boolean {
  const shown = new Set<string>(["id", "decision", "reason", ...conditions]);
  return Object.entries(rule).every(
    ([name, value]) => value === undefined || (shown.has(name) && typeof value === "string"),
  );
}

function toDraft(rule: Readonly<Record<string, unknown>>): Draft {
  return Object.fromEntries(
    Object.entries(rule).filter(([name, value]) => typeof value === "string" && name !== "id"),
  ) as Draft;
}
