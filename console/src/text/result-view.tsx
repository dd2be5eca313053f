import { useText } from "../i18n/use-text.js";
import { hrefOf } from "../route.js";
import { ChangeList, isListed, type ListedChange } from "./change-list.js";
import { DiffView } from "./diff-view.js";
import { ValueView } from "./value-view.js";

/** The result of a call: what it changed as a list and a diff, and the rest of it as it is. */
export function ResultView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const t = useText();
  const { changes, diff, rest } = partsOf(value);
  const waiting = waitingCall(value);
  return (
    <div className="flex flex-col gap-2">
      {waiting !== undefined && (
        <p className="text-xs">
          <a className="font-medium text-accent underline" href={hrefOf("changes", waiting)}>
            {t("layers.notCommitted")}
          </a>
        </p>
      )}
      {changes.length > 0 && <ChangeList changes={changes} />}
      {diff !== undefined && <DiffView diff={diff} />}
      <ValueView value={rest} label={label} />
    </div>
  );
}

interface ResultParts {
  readonly changes: readonly ListedChange[];
  readonly diff: string | undefined;
  readonly rest: unknown;
}

function partsOf(value: unknown): ResultParts {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { changes: [], diff: undefined, rest: value };
  const { changes, diff, ...rest } = value as Readonly<Record<string, unknown>>;
  const listed = Array.isArray(changes) && changes.every(isListed) ? changes : undefined;
  const text = typeof diff === "string" && diff !== "" ? diff : undefined;
  return {
    changes: listed ?? [],
    diff: text,
    rest: {
      ...rest,
      ...(listed === undefined && changes !== undefined && { changes }),
      ...(text === undefined && diff !== undefined && { diff }),
    },
  };
}

/** The call whose changes are not all in the workspace. */
function waitingCall(value: unknown): string | undefined {
  const { committed, heldBackBy } = Object(value) as Readonly<Record<string, unknown>>;
  const isWaiting = committed === "none" || committed === "part";
  return isWaiting && typeof heldBackBy === "string" ? heldBackBy : undefined;
}
