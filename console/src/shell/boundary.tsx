import { Component, type ReactNode } from "react";
import { useText } from "../i18n/use-text.js";
import { Button } from "../ui/button.js";
import { FaultNote } from "../ui/fault-note.js";

interface BoundaryProps {
  readonly children: ReactNode;
}

/**
 * Keeps a fault of one part, or a file of it that could not be loaded, from taking the whole console away.
 * React knows no other way than a class for this.
 */
export class Boundary extends Component<BoundaryProps, { readonly fault: Error | null }> {
  override state: { readonly fault: Error | null } = { fault: null };

  static getDerivedStateFromError(thrown: unknown): { readonly fault: Error } {
    return { fault: thrown instanceof Error ? thrown : new Error(JSON.stringify(thrown)) };
  }

  override render(): ReactNode {
    return this.state.fault === null ? this.props.children : <Broken fault={this.state.fault} />;
  }
}

function Broken({ fault }: { readonly fault: Error }) {
  const t = useText();
  return (
    <div className="flex max-w-prose flex-col gap-3 p-3">
      <p>{t("broken")}</p>
      <FaultNote fault={fault} />
      <span>
        <Button onClick={() => window.location.reload()}>{t("reload")}</Button>
      </span>
    </div>
  );
}
