import { type ReactNode, useState } from "react";
import { useText } from "../i18n/use-text.js";
import { Button } from "./button.js";
import { Modal } from "./modal.js";

interface ConfirmButtonProps {
  readonly label: string;
  /** Names what it is about, for screen readers. */
  readonly of: string;
  readonly question: ReactNode;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}

/** A button for what cannot be undone: it asks first. */
export function ConfirmButton({ label, of, question, disabled = false, onConfirm }: ConfirmButtonProps) {
  const t = useText();
  const [asking, setAsking] = useState(false);
  const confirm = () => {
    setAsking(false);
    onConfirm();
  };
  return (
    <>
      <Button
        look="danger"
        aria-label={`${label}: ${of}`}
        disabled={disabled}
        onClick={() => setAsking(true)}
      >
        {label}
      </Button>
      <Modal
        title={label}
        open={asking}
        onClose={() => setAsking(false)}
        closeLabel={t("cancel")}
        actions={
          <Button look="danger" onClick={confirm}>
            {label}
          </Button>
        }
      >
        <p className="text-sm">{question}</p>
      </Modal>
    </>
  );
}
