import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { CommitReport, LayerView, WaitingLayer } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { useWord } from "../../i18n/use-word.js";
import { ChangeList } from "../../text/change-list.js";
import { DiffView } from "../../text/diff-view.js";
import { FoldGate, useFolds } from "../../text/fold-gate.js";
import { PlainText } from "../../text/plain-text.js";
import { TextBlock } from "../../text/text-block.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Modal } from "../../ui/modal.js";

/** What a layer would change, and the decision about all of it or some paths. */
export function LayerDialog({
  layer,
  onClose,
}: {
  readonly layer: WaitingLayer | undefined;
  readonly onClose: () => void;
}) {
  const t = useText();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { folded, report } = useFolds();
  const path = `/api/layers/${encodeURIComponent(layer?.id ?? "")}`;
  const view = useApi<LayerView>(path, { enabled: layer !== undefined });
  const decision = useDecision({
    path,
    selected,
    seenNs: view.data?.seenNs,
    onDone: () => setSelected(new Set()),
  });
  const close = () => {
    decision.reset();
    setSelected(new Set());
    onClose();
  };
  const some = selected.size > 0;
  const busy = decision.isPending || view.data === undefined;
  return (
    <Modal
      title={t("layers.review")}
      open={layer !== undefined}
      onClose={close}
      actions={
        <>
          <Button look="danger" disabled={busy} onClick={() => decision.mutate("discard")}>
            {t(some ? "layers.discardSome" : "layers.discard", { n: selected.size })}
          </Button>
          <Button look="main" disabled={busy || folded} onClick={() => decision.mutate("commit")}>
            {t(some ? "layers.commitSome" : "layers.commit", { n: selected.size })}
          </Button>
        </>
      }
    >
      <FaultNote fault={decision.error ?? view.error} />
      <Left report={decision.data} />
      {view.data !== undefined && (
        <FoldGate report={report}>
          <Details view={view.data} selected={selected} onSelect={setSelected} />
        </FoldGate>
      )}
      {folded && <p className="mt-2 text-xs text-warn">{t("approvals.folded")}</p>}
    </Modal>
  );
}

interface Decision {
  readonly path: string;
  readonly selected: ReadonlySet<string>;
  /** Of the view that the person sees. */
  readonly seenNs: string | undefined;
  readonly onDone: () => void;
}

function useDecision({ path, selected, seenNs, onDone }: Decision) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (what: "commit" | "discard"): Promise<CommitReport | undefined> => {
      const paths = selected.size === 0 ? {} : { paths: [...selected] };
      const body = what === "commit" ? { ...paths, seenNs } : paths;
      const answer = await change<CommitReport>("POST", `${path}/${what}`, body);
      return what === "commit" ? answer : undefined;
    },
    onSuccess: async () => {
      onDone();
      await Promise.all(
        ["/api/layers", "/api/changes", path].map((key) => client.invalidateQueries({ queryKey: [key] })),
      );
    },
  });
}

/** What a commit left out. */
function Left({ report }: { readonly report: CommitReport | undefined }) {
  const t = useText();
  const left = [...(report?.heldBack ?? []), ...(report?.conflicts ?? [])];
  if (left.length === 0) return null;
  return (
    <div role="status" className="mb-2 rounded bg-warn-soft px-3 py-2 text-xs text-warn">
      {t("layers.left")}
      <ul>
        {left.map(({ path, reason }) => (
          <li key={path}>
            <PlainText text={`${path}: ${reason}`} line />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Details({
  view,
  selected,
  onSelect,
}: {
  readonly view: LayerView;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (paths: ReadonlySet<string>) => void;
}) {
  const t = useText();
  const wordOf = useWord();
  const toggle = (path: string) => {
    const next = new Set(selected);
    if (!next.delete(path)) next.add(path);
    onSelect(next);
  };
  return (
    <div className="flex flex-col gap-2">
      <TextBlock text={view.command} label={t("approvals.commands")} className="max-h-40" />
      <p className="text-xs text-muted">
        <PlainText text={wordOf(view.reason)} line />
      </p>
      <ChangeList changes={view.changes} selected={selected} onToggle={toggle} />
      {view.diff !== "" && <DiffView diff={view.diff} />}
    </div>
  );
}
