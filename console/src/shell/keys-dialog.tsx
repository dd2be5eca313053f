import { usePageTitle } from "../i18n/page-title.js";
import { useText } from "../i18n/use-text.js";
import { pages } from "../pages.js";
import { Modal } from "../ui/modal.js";

/** The keys that work everywhere. */
export default function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText();
  const titleOf = usePageTitle();
  const rows = [
    ["Ctrl K", t("keys.palette")],
    ["/", t("keys.search")],
    ["?", t("keys.help")],
    ["j k ↑ ↓", t("keys.list")],
    ...pages.map(({ name, key }) => [`g ${key}`, t("keys.go", { page: titleOf(name) })] as const),
  ] as const;
  return (
    <Modal title={t("keys.title")} open onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs sm:grid-cols-[auto_1fr_auto_1fr]">
        {rows.map(([key, what]) => (
          <div key={key} className="col-span-2 grid grid-cols-subgrid">
            <dt>
              <kbd className="rounded border border-line bg-sunk px-1.5 font-mono">{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
