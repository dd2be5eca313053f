import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { text as textParam, useAddress } from "../../address.js";
import { change } from "../../api/request.js";
import type { PolicyView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { PlainText } from "../../text/plain-text.js";
import { toVisibleLine } from "../../../../src/text/visible-text.js";
import { Badge, WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Panel } from "../../ui/panel.js";
import { ExplainBox } from "./explain-box.js";
import { type EditedRule, isEditable, RuleForm } from "./rule-form.js";
import { policyText } from "./text.js";

const params = { from: textParam() };

/** The rules, where each came from, and what they would decide. */
export default function PolicyPage() {
  const t = useText();
  const wordOf = useWord();
  const { values, set } = useAddress("policy", params);
  const [edited, setEdited] = useState<EditedRule>();
  const policy = useApi<PolicyView>("/api/policy", { everyMs: 10_000 });
  const endEditing = () => {
    setEdited(undefined);
    set({ from: "" });
  };
  // A form that was filled in elsewhere is what the person came for; otherwise the rules are.
  const isFilled = values.from !== "" || edited !== undefined;
  const form = <RuleForm from={values.from} edited={edited} onDone={endEditing} />;
  return (
    <div className="flex flex-col gap-3">
      <FaultNote fault={policy.error} />
      {isFilled && form}
      {policy.data !== undefined && (
        <Panel
          title={t("policy.rules", { n: policy.data.rules.length })}
          actions={<Badge>{t("about.mode", { mode: wordOf(policy.data.mode) })}</Badge>}
        >
          <Rules rules={policy.data.rules} onEdit={setEdited} />
        </Panel>
      )}
      {!isFilled && form}
      <ExplainBox />
    </div>
  );
}

interface RulesProps {
  readonly rules: PolicyView["rules"];
  readonly onEdit: (rule: EditedRule) => void;
}

function Rules({ rules, onEdit }: RulesProps) {
  const own = usePageText(policyText);
  const t = useText();
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => change("DELETE", `/api/policy/rules/${encodeURIComponent(id)}`),
    onSettled: () => client.invalidateQueries({ queryKey: ["/api/policy"] }),
  });
  if (rules.length === 0) return <Empty>{t("policy.none")}</Empty>;
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={t("policy.table")}>
      <FaultNote fault={revoke.error} />
      <table className="cards w-full text-xs">
        <thead>
          <tr className="text-left text-muted">
            <th className="pr-3 pb-1 font-medium">{t("policy.decision")}</th>
            <th className="pr-3 pb-1 font-medium">{t("policy.rule")}</th>
            <th className="pr-3 pb-1 font-medium">{t("policy.source")}</th>
            <th className="pr-3 pb-1 font-medium">ID</th>
            <th className="pb-1">
              <span className="sr-only">{t("policy.revoke")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <tr key={`${rule.source} ${rule.id}`} className="border-t border-line align-top">
              <td data-label={t("policy.decision")} className="py-1 pr-3">
                <WordBadge word={rule.behavior} />
              </td>
              <td data-label={t("policy.rule")} className="py-1 pr-3 wrap-anywhere">
                <PlainText text={rule.text} />
              </td>
              <td data-label={t("policy.source")} className="py-1 pr-3 whitespace-nowrap">
                <WordBadge word={rule.source} tone="plain" />
              </td>
              <td data-label="ID" className="py-1 pr-3 font-mono whitespace-nowrap text-muted">
                <PlainText text={rule.id} line />
              </td>
              <td className="py-1 text-right">
                {rule.source === "remembered" && isEditable(rule.conditions) && (
                  <Button
                    className="mr-1"
                    aria-label={`${own("edit")}: ${toVisibleLine(rule.text)}`}
                    onClick={() => onEdit(rule)}
                  >
                    {own("edit")}
                  </Button>
                )}
                {rule.revocable && (
                  <Button
                    look="danger"
                    aria-label={`${t("policy.revoke")}: ${toVisibleLine(rule.text)}`}
                    disabled={revoke.isPending}
                    onClick={() => revoke.mutate(rule.id)}
                  >
                    {t("policy.revoke")}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
