import { ToolResourceNotFoundError } from "../../../contract/errors.js";
import type { Quarantine } from "../../../contract/ports/quarantine.js";

/** What was held back from commands of the sessions that somebody sees; the rest does not exist for it. */
export function visibleQuarantine(
  quarantine: Quarantine,
  sees: ((sessionId: string) => boolean) | undefined,
): Quarantine {
  if (sees === undefined) return quarantine;
  const list: Quarantine["list"] = async (filter) =>
    (await quarantine.list(filter)).filter(({ sessionId }) => sees(sessionId));
  const requireOwn = async (ids: readonly string[]): Promise<void> => {
    const own = new Set((await list()).map(({ id }) => id));
    const other = ids.find((id) => !own.has(id));
    if (other === undefined) return;
    throw new ToolResourceNotFoundError(`The held back change "${other.slice(0, 64)}" was not found.`);
  };
  return {
    list,
    async show(id) {
      await requireOwn([id]);
      return quarantine.show(id);
    },
    async restore(ids) {
      await requireOwn(ids);
      return quarantine.restore(ids);
    },
    async discard(ids) {
      await requireOwn(ids);
      return quarantine.discard(ids);
    },
  };
}
