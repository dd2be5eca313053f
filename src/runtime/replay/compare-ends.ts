import type { ErrorInfo } from "../../contract/errors.js";
import type { AuditRecord } from "../../contract/ports/audit.js";
import { unifiedDiff } from "../../text/unified-diff.js";

/** The workspace and its copy. */
export interface ReplayPaths {
  readonly workspace: string;
  readonly copy: string;
}

/** The difference between a call's result and the recorded one, as a diff; "" if there is none. */
export function compareEnds(
  record: AuditRecord,
  envelope: { readonly result: unknown; readonly error: ErrorInfo | undefined },
  places: ReplayPaths,
): string {
  const before = endText(record.error, record.result, places);
  const after = endText(envelope.error, envelope.result, places);
  return unifiedDiff({ oldPath: "recorded", newPath: "replayed", before, after });
}

interface EndError {
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

function endText(error: EndError | undefined, result: unknown, places: ReplayPaths): string {
  if (error === undefined) return pretty(settle(result, places));
  // Hints and details may contain values of the first run; only what failed and why is compared.
  const { type, code, message } = error;
  return pretty(settle({ type, code, message }, places));
}

function pretty(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "undefined");
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** Names of fields whose values differ from run to run. */
const volatileNames =
  /^(?:callId|sessionId|pid|jobId|handle|inode|ino|dev|time|timestamp|date|unix|iso|local|duration|elapsed|mtime|ctime|atime|birthtime|modified|created|accessed|changed|.*(?:At|Ms|Time|Ns|Seconds))$/;

const gitObject = /\.git\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}\b/;

/** Parts of texts that differ from run to run. */
const volatileTexts: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g, "[time]"],
  [/\bcall_[a-z0-9]+_[a-z0-9]+\b/g, "[call]"],
  [/\bout_[A-Za-z0-9_-]{22}\b/g, "[output]"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "[id]"],
  [/\b\d+(?:\.\d+)? ?(?:ms|µs|ns)\b/g, "[duration]"],
  // The time of a commit is part of its id: as git stores it, and as `git commit` and `git log` print it.
  [new RegExp(gitObject, "g"), ".git/objects/[object]"],
  [/^(\[\S+(?: \([^)\n]*\))?) [0-9a-f]{7,40}\]/gm, "$1 [commit]]"],
  [/^commit [0-9a-f]{40}\b/gm, "commit [commit]"],
];

/** The value without what differs from run to run. */
function settle(value: unknown, places: ReplayPaths): unknown {
  if (typeof value === "string") return settleText(value, places);
  if (Array.isArray(value)) return value.map((item) => settle(item, places));
  if (typeof value !== "object" || value === null) return value;
  const isObject = "path" in value && typeof value.path === "string" && gitObject.test(value.path);
  const entries = Object.entries(value).filter(
    // How many lines the data of an object happens to have says nothing.
    ([key, item]) => item !== undefined && !(isObject && (key === "added" || key === "removed")),
  );
  return Object.fromEntries(
    entries.map(([key, item]) => {
      const isVolatile = volatileNames.test(key) && (typeof item === "number" || typeof item === "string");
      return [key, isVolatile ? "[volatile]" : settle(item, places)];
    }),
  );
}

function settleText(text: string, { workspace, copy }: ReplayPaths): string {
  const moved = text.replaceAll(copy, workspace);
  return volatileTexts.reduce((settled, [pattern, mark]) => settled.replace(pattern, mark), moved);
}
