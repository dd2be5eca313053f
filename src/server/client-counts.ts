import type { TenonEvent } from "../contract/events.js";

export interface ClientMetricsRow {
  /** As it calls itself. */
  readonly client: string;
  readonly version?: string | undefined;
  readonly agent: string;
  readonly calls: number;
  readonly failures: number;
  /** How often a person was asked for its calls. */
  readonly approvals: number;
}

/** Clients beyond this many are counted together: names are the clients' own to choose. */
const maxClients = 200;
const others = "_other";

type Counted = { -readonly [Key in keyof ClientMetricsRow]: ClientMetricsRow[Key] };

/** How many calls each MCP client made, from their events. */
export class ClientCounts {
  readonly #rows = new Map<string, Counted>();

  take({ type, payload }: TenonEvent): void {
    if (type !== "TOOL_CALL_COMPLETED" && type !== "TOOL_CALL_FAILED" && type !== "APPROVAL_REQUESTED")
      return;
    const { client, agent } = payload;
    if (client === undefined) return;
    const row = this.#rowOf(client.name, agent);
    if (client.version !== undefined) row.version = client.version;
    if (type === "APPROVAL_REQUESTED") row.approvals++;
    else row.calls++;
    if (type === "TOOL_CALL_FAILED") row.failures++;
  }

  /** The busiest first. */
  rows(): readonly ClientMetricsRow[] {
    return [...this.#rows.values()].sort((one, other) => other.calls - one.calls);
  }

  #rowOf(name: string, agent: string): Counted {
    const client = this.#rows.has(name) || this.#rows.size < maxClients ? name : others;
    const known = this.#rows.get(client);
    if (known !== undefined) return known;
    const row: Counted = {
      client,
      agent: client === others ? others : agent,
      calls: 0,
      failures: 0,
      approvals: 0,
    };
    this.#rows.set(client, row);
    return row;
  }
}
