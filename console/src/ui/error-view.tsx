import { FoldedText } from "../text/folded-text.js";
import { PlainText } from "../text/plain-text.js";

interface ErrorViewProps {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string | undefined };
}

/** Why a call failed, and the way out. */
export function ErrorView({ error }: ErrorViewProps) {
  return (
    <div className="rounded bg-bad-soft px-3 py-2 text-xs wrap-anywhere">
      <span className="font-mono font-semibold text-bad">{error.code}</span>{" "}
      <span className="whitespace-pre-wrap">
        <FoldedText text={error.message} limit={4000} />
      </span>
      {error.hint !== undefined && (
        <p className="mt-1 text-muted">
          <PlainText text={error.hint} />
        </p>
      )}
    </div>
  );
}
