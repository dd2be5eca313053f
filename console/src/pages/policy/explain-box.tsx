import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { change } from "../../api/request.js";
import type { ExplainView, ToolRow } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { PlainText } from "../../text/plain-text.js";
import { WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Panel, Section } from "../../ui/panel.js";
import { JsonField } from "../tools/json-field.js";

const maxOptions = 100;

/** Ask what would happen to a call; nothing runs. */
export function ExplainBox() {
  const t = useText();
  const tools = useApi<readonly ToolRow[]>("/api/tools").data ?? [];
  const [tool, setTool] = useState("");
  const [args, setArgs] = useState<unknown>({});
  const [broken, setBroken] = useState(false);
  const list = useId();
  const explain = useMutation({
    mutationFn: () => change<ExplainView>("POST", "/api/policy/explain", { tool, arguments: args ?? {} }),
  });
  return (
    <Panel title={t("policy.explain")}>
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          explain.mutate();
        }}
      >
        <div className="flex flex-wrap gap-2">
          <input
            className="field w-64"
            list={list}
            aria-label={t("log.tool")}
            placeholder={t("log.tool")}
            value={tool}
            required
            onChange={(event) => setTool(event.target.value)}
          />
          <datalist id={list}>
            {tools
              .filter(({ name }) => name.includes(tool))
              .slice(0, maxOptions)
              .map(({ name }) => (
                <option key={name} value={name} />
              ))}
          </datalist>
          <Button look="main" type="submit" disabled={broken || tool === "" || explain.isPending}>
            {t("policy.ask")}
          </Button>
        </div>
        <JsonField label={t("fact.arguments")} value={args} onChange={setArgs} onBroken={setBroken} />
      </form>
      <FaultNote fault={explain.error} />
      {explain.data !== undefined && <Verdict view={explain.data} />}
    </Panel>
  );
}

function Verdict({ view }: { readonly view: ExplainView }) {
  const t = useText();
  const wordOf = useWord();
  return (
    <div className="mt-3 border-t border-line pt-3 text-xs" aria-live="polite">
      <p>
        <WordBadge word={view.decision} /> <PlainText text={view.reason} />
      </p>
      <p className="mt-1 text-muted">
        {t("policy.by")}{" "}
        <code>
          <PlainText text={view.rule} line />
        </code>{" "}
        ({wordOf(view.source)})
      </p>
      {view.hint !== undefined && (
        <p className="mt-1">
          <PlainText text={view.hint} />
        </p>
      )}
      {view.commands.length > 0 && (
        <Section title={t("approvals.commands")}>
          <ul className="flex flex-col gap-1">
            {view.commands.map((command, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- the same command may stand twice
              <li key={at}>
                <WordBadge word={command.decision} />{" "}
                <code>
                  <PlainText text={command.command} />
                </code>{" "}
                <span className="text-muted">
                  <PlainText text={command.reason} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {view.considered.length > 0 && (
        <Section title={t("policy.considered")}>
          <ul className="flex flex-col gap-1">
            {view.considered.map((rule) => (
              <li key={`${rule.source} ${rule.rule}`}>
                <WordBadge word={rule.behavior} /> <PlainText text={rule.text || rule.rule} />{" "}
                <span className="text-muted">({wordOf(rule.source)})</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}
