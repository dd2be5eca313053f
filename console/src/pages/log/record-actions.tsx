import { useMutation, useQueryClient } from "@tanstack/react-query";
import { change } from "../../api/request.js";
import type { CallAnswer, ShownRecord } from "../../api/types.js";
import { readWholeArguments } from "../../api/whole-arguments.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { Button, LinkButton } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";

interface RecordActionsProps {
  readonly record: ShownRecord;
  readonly compare: string;
  readonly onCompare: (callId: string) => void;
  readonly onUndo: () => void;
}

/** What can be done about a call: run it again, change it first, compare it, undo it, make a rule of it. */
export function RecordActions({ record, compare, onCompare, onUndo }: RecordActionsProps) {
  const t = useText();
  const client = useQueryClient();
  const { callId, tool, taskId, act } = record;
  const rerun = useMutation({
    mutationFn: async () =>
      change<CallAnswer>("POST", `/api/tools/${encodeURIComponent(tool)}/call`, {
        arguments: await readWholeArguments(record),
      }),
    onSuccess: () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) => /^\/api\/(?:log|trace)/.test(String(queryKey[0])),
      }),
  });
  // Something that a person did is no call that could be repeated.
  const isCall = act === undefined;
  const isWhole = !JSON.stringify(record.arguments ?? null).includes("[redacted]");
  return (
    <div className="mb-3 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1.5">
        {isCall && (
          <Button
            disabled={!isWhole || rerun.isPending}
            title={isWhole ? undefined : t("call.rerunHidden")}
            onClick={() => rerun.mutate()}
          >
            {t(rerun.isPending ? "call.rerunning" : "call.rerun")}
          </Button>
        )}
        {isCall && <LinkButton href={hrefOf("tools", tool, { from: callId })}>{t("call.toForm")}</LinkButton>}
        {compare === "" ? (
          <Button onClick={() => onCompare(callId)}>{t("call.compare")}</Button>
        ) : (
          <Button aria-pressed="true" onClick={() => onCompare("")}>
            {t("call.compareStop")}
          </Button>
        )}
        {record.changes > 0 && <Button onClick={onUndo}>{t("undo.this")}</Button>}
        {record.changes > 0 && (
          <LinkButton
            href={hrefOf("changes", undefined, taskId === undefined ? { call: callId } : { task: taskId })}
          >
            {t("call.filesChanged", { n: record.changes })}
          </LinkButton>
        )}
        <LinkButton href={hrefOf("trace", callId, { by: "call", call: callId })}>
          {t("call.trace")}
        </LinkButton>
        {isCall && (
          <LinkButton href={hrefOf("policy", undefined, { from: callId })}>{t("call.rule")}</LinkButton>
        )}
      </div>
      {!isWhole && isCall && <p className="text-xs text-muted">{t("call.rerunHidden")}</p>}
      {compare === callId && (
        <p role="status" className="text-xs text-info">
          {t("call.compareHint", { tool })}
        </p>
      )}
      <FaultNote fault={rerun.error} />
      {rerun.data !== undefined && (
        <p role="status" className="text-xs">
          {t("call.rerunDone")}{" "}
          <a
            className="font-mono text-accent underline"
            href={hrefOf("log", rerun.data.callId, { compare: callId })}
          >
            {rerun.data.callId}
          </a>{" "}
          ({t(rerun.data.success ? "state.succeeded" : "state.failed")})
        </p>
      )}
    </div>
  );
}
