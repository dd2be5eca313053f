import type { ChangeRow } from "../../api/types.js";

/** Changes that belong together. */
export interface ChangeGroup {
  readonly key: string;
  readonly by: "task" | "session";
  readonly id: string;
  readonly rows: readonly ChangeRow[];
}

/** By task where there is one, else by session; the newest first, as they come. */
export function groupChanges(rows: readonly ChangeRow[], path: string): readonly ChangeGroup[] {
  const groups = new Map<string, { key: string; by: "task" | "session"; id: string; rows: ChangeRow[] }>();
  const wanted = path.trim().toLowerCase();
  for (const row of rows) {
    if (!row.path.toLowerCase().includes(wanted)) continue;
    const by = row.taskId === undefined ? "session" : "task";
    const id = row.taskId ?? row.sessionId ?? row.callId;
    const key = `${by} ${id}`;
    const group = groups.get(key) ?? { key, by, id, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()];
}
