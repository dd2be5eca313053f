import { useText } from "../../i18n/use-text.js";
import { Modal } from "../../ui/modal.js";

const keys = ["j", "k", "a", "s", "A", "r", "e", "?"] as const;

/** All keys of the page. */
export function KeysHelp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const t = useText();
  return (
    <Modal title={t("approvals.help")} open={open} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        {keys.map((key) => (
          <div key={key} className="col-span-2 grid grid-cols-subgrid">
            <dt>
              <Key name={key} />
            </dt>
            <dd>{t(`approvals.key.${key}`)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

/** A key, drawn as one. */
export function Key({ name }: { readonly name: string }) {
  return (
    <kbd aria-hidden="true" className="rounded border border-current px-1 font-mono text-[10px] leading-3.5">
      {name}
    </kbd>
  );
}
