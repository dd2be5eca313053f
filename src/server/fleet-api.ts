/** A worker or front of a fleet. */
export interface FleetMemberView {
  readonly id: string;
  readonly kind: "worker" | "front";
  readonly host: string;
  readonly version: string;
  readonly protocol: number;
  readonly state: "alive" | "draining" | "gone";
  readonly labels: readonly string[];
  readonly slots: number;
  readonly running: number;
  /** Since it last renewed its lease, by the clock of NATS. */
  readonly silentMs: number;
  readonly workspaces: number;
}

export interface FleetWorkspaceView {
  readonly name: string;
  /** "" if no worker owns it now. */
  readonly worker: string;
  readonly state: "owned" | "free" | "waiting";
  readonly epoch: number;
  readonly takeovers: number;
  /** Where its files lie. */
  readonly place: string;
  readonly queued: number;
}

/** A fleet as one of its fronts sees it; `GET /api/fleet` is `null` on a server that works alone. */
export interface FleetView {
  readonly tenant: string;
  readonly members: readonly FleetMemberView[];
  readonly workspaces: readonly FleetWorkspaceView[];
  /** Calls without an answer yet. */
  readonly queued: number;
  /** Of the oldest of them. */
  readonly oldestMs: number;
}
