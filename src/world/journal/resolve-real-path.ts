import { pathRefused, systemFailure, pathChanged, withPathAsync } from "../files/file-errors.js";
import { resolveAndJudge, toLexicalPath, type AccessRequest, type GuardDeps } from "../files/locate.js";
import { refusal } from "../files/path-verdict.js";
import { judgeTree } from "../files/remove-tree.js";
import { openDirectory } from "./open-path.js";
import type { VirtualNode } from "./virtual-files.js";

const attempts = 50;

const NOT_JUDGED =
  "leads to another place since the call was judged, and a rule denies or asks about changing that one";

/**
 * The real path that a text stands for, judged. Names that do not exist yet stay as written: an earlier
 * mutation of the same call may create them. Later steps open exactly this path.
 */
export function resolveRealPath(deps: GuardDeps, text: string, wanted: AccessRequest): string {
  const lexical = toLexicalPath(deps.rules, text, wanted.access);
  for (let left = attempts; left > 0; left -= 1) {
    const { real, errno } = resolveAndJudge(deps.rules, lexical, { text, wanted });
    if (errno === "ESTALE") continue;
    if (errno !== undefined && errno !== "ENOTDIR") throw systemFailure(text, errno);
    if (wanted.access === "remove") refuseRoot(deps, text, real);
    // Through a link, which may not have been there when the call was judged.
    if (real !== lexical && wanted.access !== "read" && deps.changeable?.(real) === false) {
      throw pathRefused(text, refusal("PATH_FORBIDDEN", "policy", NOT_JUDGED));
    }
    return real;
  }
  throw pathChanged(text);
}

/** Judge everything in a directory for being moved away, and for being at `to` if that differs. */
export async function judgeMovedTree(
  deps: GuardDeps,
  node: VirtualNode,
  { text, to }: { text: string; to: string },
): Promise<void> {
  if (node.type !== "directory" || node.disk === undefined) return;
  const { real } = node.disk;
  await withPathAsync(text, async () => {
    const top = openDirectory(deps.opener, real);
    try {
      await judgeTree(deps, top, { text, ...(to !== real && { to }) });
    } finally {
      top.close();
    }
  });
}

function refuseRoot(deps: GuardDeps, text: string, real: string): void {
  if (!deps.rules.roots.some((root) => root.real === real)) return;
  const verdict = deps.rules.judge(real, "remove");
  const reason = "is the workspace or an allowed path itself";
  throw pathRefused(
    text,
    verdict.allowed ? { allowed: false, code: "PATH_FORBIDDEN", rule: "workspace", reason } : verdict,
  );
}
