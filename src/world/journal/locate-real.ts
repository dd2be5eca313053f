import { refused, systemFailure, unstable, withPathAsync } from "../files/file-errors.js";
import { placed, resolved, type Deps, type Wanted } from "../files/locate.js";
import { judgeTree } from "../files/remove-tree.js";
import { openDirectory } from "./place.js";
import type { VirtualNode } from "./virtual-files.js";

/** The rules that a path is judged by, and how it is opened. */
export type JudgeDeps = Deps;

const attempts = 50;

/**
 * The real path that a text means, judged. Names that do not exist yet are kept as written: an earlier
 * mutation of the same set may make them. What is done later opens this very path and no other.
 */
export function locate(deps: JudgeDeps, text: string, wanted: Wanted): string {
  const lexical = placed(deps.rules, text, wanted.access);
  for (let left = attempts; left > 0; left -= 1) {
    const { real, errno } = resolved(deps.rules, lexical, { text, wanted });
    if (errno === "ESTALE") continue;
    if (errno !== undefined && errno !== "ENOTDIR") throw systemFailure(text, errno);
    if (wanted.access === "remove") refuseRoot(deps, text, real);
    return real;
  }
  throw unstable(text);
}

/** Judge all in a directory for being taken away from where it is, and for being at `to` if that differs. */
export async function judgeMoved(
  deps: JudgeDeps,
  node: VirtualNode,
  { text, to }: { text: string; to: string },
): Promise<void> {
  if (node.type !== "directory" || node.disk === undefined) return;
  const { real } = node.disk;
  await withPathAsync(text, async () => {
    const top = openDirectory(deps.opener, real);
    try {
      await judgeTree(deps, top, { text, access: "write", ...(to !== real && { to }) });
    } finally {
      top.close();
    }
  });
}

function refuseRoot(deps: JudgeDeps, text: string, real: string): void {
  if (!deps.rules.roots.some((root) => root.real === real)) return;
  const verdict = deps.rules.judge(real, "remove");
  const reason = "is the workspace or an allowed path itself";
  throw refused(
    text,
    verdict.allowed ? { allowed: false, code: "PATH_FORBIDDEN", rule: "workspace", reason } : verdict,
  );
}
