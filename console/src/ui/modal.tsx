import { Dialog } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { useText } from "../i18n/use-text.js";
import { Button } from "./button.js";

interface ModalProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  /** On the button that closes it. @default "Close" */
  readonly closeLabel?: string;
}

/**
 * A dialog above the page. Radix' own overlay puts a style element into the page, which its policy forbids, so the
 * shade is a plain element.
 */
export function Modal({ title, open, onClose, children, actions, closeLabel }: ModalProps) {
  const t = useText();
  const giveBack = useFocusBefore(open);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <div className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={giveBack}
          className="fixed top-1/2 left-1/2 z-50 flex max-h-[85vh] w-[min(52rem,94vw)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-panel shadow-xl"
        >
          <Dialog.Title className="border-b border-line px-4 py-2.5 text-sm font-semibold">
            {title}
          </Dialog.Title>
          <div className="min-h-0 flex-1 overflow-auto p-4">{children}</div>
          <footer className="flex justify-end gap-2 border-t border-line px-4 py-2.5">
            <Dialog.Close asChild>
              <Button>{closeLabel ?? t("close")}</Button>
            </Dialog.Close>
            {actions}
          </footer>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Gives the focus back to what had it before, unless the dialog led to another address. */
function useFocusBefore(open: boolean): (event: Event) => void {
  const before = useRef<{ readonly element: Element | null; readonly address: string }>(null);
  const wasOpen = useRef(false);
  // While it is drawn: a field of the dialog takes the focus before any effect runs.
  if (open && !wasOpen.current)
    before.current = { element: document.activeElement, address: window.location.hash };
  wasOpen.current = open;
  return (event) => {
    event.preventDefault();
    const { element, address } = before.current ?? {};
    if (element instanceof HTMLElement && address === window.location.hash) element.focus();
  };
}
