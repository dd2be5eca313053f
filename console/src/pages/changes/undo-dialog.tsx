import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { change } from "../../api/request.js";
import type { UndoAnswer, UndoBody, UndoView } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { DiffView } from "../../text/diff-view.js";
import { toBytes } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Modal } from "../../ui/modal.js";

/** Show what an undo would do, then do it. */
export function UndoDialog({
  what,
  onClose,
}: {
  readonly what: UndoBody | undefined;
  readonly onClose: () => void;
}) {
  const t = useText();
  const client = useQueryClient();
  const preview = useQuery({
    queryKey: ["/api/undo/preview", what],
    queryFn: ({ signal }) => change<UndoView>("POST", "/api/undo/preview", what, signal),
    enabled: what !== undefined,
    gcTime: 0,
    staleTime: 0,
  });
  const undo = useMutation({
    mutationFn: () => change<UndoAnswer>("POST", "/api/undo", what),
    // The lists of changes, and what records and traces say of them.
    onSuccess: () => client.invalidateQueries(),
  });
  const close = () => {
    undo.reset();
    onClose();
  };
  const ready = preview.data !== undefined && preview.data.files.length > 0;
  return (
    <Modal
      title={t("undo.title")}
      open={what !== undefined}
      onClose={close}
      actions={
        undo.data === undefined && (
          <Button look="danger" disabled={!ready || undo.isPending} onClick={() => undo.mutate()}>
            {t("undo.do")}
          </Button>
        )
      }
    >
      <FaultNote fault={undo.error ?? preview.error} />
      {preview.isLoading && <p className="text-muted">{t("loading")}</p>}
      {undo.data !== undefined && (
        <p role="status" className="mb-2 font-medium text-ok">
          {t("undo.done", { n: undo.data.length })}
        </p>
      )}
      {preview.data !== undefined && undo.data === undefined && <UndoFiles view={preview.data} />}
    </Modal>
  );
}

/** The files that an undo brings back, with their difference. */
function UndoFiles({ view }: { readonly view: UndoView }) {
  const t = useText();
  if (view.files.length === 0) return <p className="text-muted">{t("undo.nothing")}</p>;
  return (
    <div className="flex flex-col gap-2">
      <ul className="text-xs">
        {view.files.map((file) => (
          <li key={file.path}>
            <span className="font-mono">
              <PlainText text={file.path} line />
            </span>{" "}
            <span className="text-muted">
              {toBytes(file.previousContentLen)} → {toBytes(file.restoredContentLen)}
            </span>
          </li>
        ))}
      </ul>
      {view.diff !== "" && <DiffView diff={view.diff} />}
    </div>
  );
}
