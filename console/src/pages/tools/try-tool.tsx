import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { change } from "../../api/request.js";
import type { CallAnswer, ToolDetail } from "../../api/types.js";
import { useFeed } from "../../feed/use-feed.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Toggle } from "../../ui/toggle.js";
import { EnvelopeView } from "./envelope-view.js";
import { JsonField } from "./json-field.js";
import { SchemaField } from "./schema-field.js";
import { firstValue } from "./schema-kind.js";
import { formText } from "./text.js";

interface TryToolProps {
  readonly tool: ToolDetail;
  /** What the form starts with, instead of the defaults. */
  readonly initial: unknown;
}

/** A form made from the tool's schema, and what the call answered. */
export function TryTool({ tool, initial }: TryToolProps) {
  const t = useText();
  const own = usePageText(formText);
  const [value, setValue] = useState<unknown>(
    () => initial ?? firstValue(tool.inputSchema, tool.inputSchema),
  );
  const [raw, setRaw] = useState(false);
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  const abort = useRef<AbortController>(null);
  const asking = useFeed((state) => state.approvals.some((request) => request.toolName === tool.name));
  const call = useMutation({
    mutationFn: (more: object) => {
      abort.current = new AbortController();
      const path = `/api/tools/${encodeURIComponent(tool.name)}/call`;
      const args = { ...Object(value ?? {}), ...more } as object;
      return change<CallAnswer>("POST", path, { arguments: args }, abort.current.signal);
    },
  });
  // Below a long form nobody would see it come.
  const answer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (call.data !== undefined) answer.current?.scrollIntoView({ block: "nearest" });
  }, [call.data]);
  const mark = (path: string, bad: boolean) => {
    if (broken.has(path) === bad) return;
    const next = new Set(broken);
    if (bad) next.add(path);
    else next.delete(path);
    setBroken(next);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        call.mutate({});
      }}
      className="flex flex-col gap-3"
    >
      <div className="flex flex-wrap items-center gap-2">
        <Toggle
          label={t("tools.raw")}
          checked={raw}
          onChange={(next) => {
            setBroken(new Set());
            setRaw(next);
          }}
        />
        {tool.examples.length > 0 && <span className="ml-2 text-xs text-muted">{own("examples")}</span>}
        {tool.examples.map((example, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- examples have no other identity
          <Button key={at} onClick={() => setValue(example.input)}>
            <PlainText text={example.title ?? t("tools.example", { n: at + 1 })} />
          </Button>
        ))}
      </div>
      {raw ? (
        <JsonField
          label={t("fact.arguments")}
          value={value}
          onChange={setValue}
          onBroken={(bad) => mark("", bad)}
          rows={10}
        />
      ) : (
        <SchemaField
          name=""
          schema={tool.inputSchema}
          root={tool.inputSchema}
          value={value}
          onChange={setValue}
          onBroken={mark}
          path="$"
          required
        />
      )}
      <div className="flex items-center gap-2">
        <Button look="main" type="submit" disabled={call.isPending || broken.size > 0 || !tool.enabled}>
          {t("tools.run")}
        </Button>
        {canDryRun(tool) && (
          <Button
            disabled={call.isPending || broken.size > 0 || !tool.enabled}
            onClick={() => call.mutate({ dry_run: true })}
          >
            {t("tools.dryRun")}
          </Button>
        )}
        {call.isPending && (
          <>
            <Button look="danger" onClick={() => abort.current?.abort()}>
              {t("cancel")}
            </Button>
            <span role="status" className="text-xs text-muted">
              {t("tools.running")}
            </span>
          </>
        )}
        {call.isPending && asking && (
          <a className="text-xs font-medium text-accent underline" href={hrefOf("approvals")}>
            {t("live.answer")}
          </a>
        )}
      </div>
      {call.error !== null && !call.isPending && <FaultNote fault={call.error} />}
      <div ref={answer}>
        {call.data !== undefined && !call.isPending && <EnvelopeView envelope={call.data} />}
      </div>
    </form>
  );
}

/** Whether the tool can say what it would change without changing it. */
function canDryRun({ inputSchema }: ToolDetail): boolean {
  return Object.hasOwn(Object(inputSchema["properties"]) as object, "dry_run");
}
