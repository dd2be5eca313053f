import type { ReactNode } from "react";
import { Button } from "./button.js";
import { FaultNote } from "./fault-note.js";
import { Panel } from "./panel.js";

interface EntryFormProps {
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  /** The change that it makes. */
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  readonly onSubmit: () => void;
  readonly fields: ReactNode;
  /** What came of it. */
  readonly children?: ReactNode;
}

/** A form in a row, for something new. */
export function EntryForm({ title, action, change, onSubmit, fields, children }: EntryFormProps) {
  return (
    <Panel title={title}>
      <form
        className="grid items-end gap-2 sm:grid-cols-[repeat(auto-fit,minmax(10rem,1fr))]"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {fields}
        <Button look="main" type="submit" className="sm:justify-self-start" disabled={change.isPending}>
          {action}
        </Button>
      </form>
      <FaultNote fault={change.error} />
      {children}
    </Panel>
  );
}

/** Says that it was done. */
export function DoneNote({ children }: { readonly children: ReactNode }) {
  return (
    <p role="status" className="mt-2 text-xs text-ok">
      {children}
    </p>
  );
}
