import { ApiFault } from "../api/request.js";
import { PlainText } from "../text/plain-text.js";

/** What went wrong, and the way out where the server knows one. */
export function FaultNote({ fault }: { readonly fault: Error | null | undefined }) {
  if (fault === null || fault === undefined) return null;
  return (
    <div role="alert" className="rounded border border-bad bg-bad-soft px-3 py-2 text-xs text-bad">
      {fault instanceof ApiFault && <span className="mr-2 font-mono font-semibold">{fault.code}</span>}
      <PlainText text={fault.message} />
      {fault instanceof ApiFault && fault.hint !== undefined && (
        <p className="mt-1 text-ink">
          <PlainText text={fault.hint} />
        </p>
      )}
    </div>
  );
}
