import type { AuditAlert, AuditOutcome } from "../../contract/ports/audit.js";

export interface WatchedCall {
  readonly time: number;
  readonly tool: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly outcome: AuditOutcome;
  readonly errorCode?: string | undefined;
}

/** Sees unusual patterns in calls as they end. */
export interface AlertWatch {
  see(call: WatchedCall): void;
  alerts(): readonly AuditAlert[];
}

const maxSessions = 1000;
const maxAlerts = 200;

/** A pattern: the number of calls in one session within a time. */
const patterns = {
  burst: { count: 3000, withinMs: 10_000, tell: "calls" },
  denials: { count: 8, withinMs: 60_000, tell: "denied calls" },
  probing: { count: 4, withinMs: 60_000, tell: "attempts to reach forbidden paths or hosts" },
} as const;

type Kind = keyof typeof patterns;
const probes = /^(?:PATH_|HOST_|EGRESS_|ADDRESS_|SYMLINK|SPECIAL_FILE)/;

interface Window {
  since: number;
  count: number;
  toldAt: number;
}

/** Watch calls with a few counters per session. Each window alerts once, and each kind at most once a minute. */
export function createAlertWatch(onAlert: (alert: AuditAlert) => void = () => {}): AlertWatch {
  const sessions = new Map<string, Record<Kind, Window>>();
  const told: AuditAlert[] = [];
  const addWindows = (sessionId: string): Record<Kind, Window> => {
    const windows = { burst: newWindow(), denials: newWindow(), probing: newWindow() };
    sessions.set(sessionId, windows);
    const [oldest] = sessions.keys();
    if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
    return windows;
  };
  return {
    see(call) {
      const windows = sessions.get(call.sessionId) ?? addWindows(call.sessionId);
      for (const kind of call.outcome === "denied" ? kindsOfDenied(call) : burst) {
        if (!isReached(windows[kind], kind, call.time)) continue;
        const alert = toAlert(kind, windows[kind], call);
        told.push(alert);
        if (told.length > maxAlerts) told.shift();
        onAlert(alert);
      }
    },
    alerts: () => told.toReversed(),
  };
}

function newWindow(): Window {
  return { since: 0, count: 0, toldAt: Number.NEGATIVE_INFINITY };
}

const burst: readonly Kind[] = ["burst"];

function kindsOfDenied({ errorCode = "" }: WatchedCall): readonly Kind[] {
  return probes.test(errorCode) ? ["burst", "denials", "probing"] : ["burst", "denials"];
}

function isReached(window: Window, kind: Kind, time: number): boolean {
  const { count, withinMs } = patterns[kind];
  if (time - window.since > withinMs || time < window.since) {
    window.since = time;
    window.count = 0;
  }
  if (++window.count < count || time - window.toldAt < 60_000) return false;
  window.toldAt = time;
  return true;
}

function toAlert(kind: Kind, { count, since }: Window, call: WatchedCall): AuditAlert {
  const seconds = Math.max(1, Math.round((call.time - since) / 1000));
  return {
    time: call.time,
    kind,
    message: `${count} ${patterns[kind].tell} within ${seconds} s by ${call.agent} in session ${call.sessionId}, the latest by ${call.tool}.`,
    sessionId: call.sessionId,
    agent: call.agent,
  };
}
