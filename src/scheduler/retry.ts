import type { RetryPolicy } from "../contract/tool.js";

/** The policy of tools without one. */
export const defaultRetry: Required<RetryPolicy> = Object.freeze({
  attempts: 3,
  delayMs: 1000,
  maxDelayMs: 30_000,
});

/** The longest wait that a Node timer takes. */
const maxMs = 2 ** 31 - 1;

/** How far a wait strays from its nominal length, so that calls that failed together do not return together. */
const jitter = 0.25;

/** Milliseconds to wait before the given retry (1 for the first); doubles each time, up to the policy's cap. */
export function retryDelay(attempt: number, policy: RetryPolicy, random: () => number): number {
  const cap = toDuration(policy.maxDelayMs, defaultRetry.maxDelayMs);
  const first = toDuration(policy.delayMs, defaultRetry.delayMs);
  const doublings = Math.min(Math.max(Math.floor(attempt) - 1 || 0, 0), 31);
  const nominal = Math.min(first * 2 ** doublings, cap);
  const chance = Math.min(Math.max(random() || 0, 0), 1);
  const delay = nominal * (1 - jitter + 2 * jitter * chance);
  // Mirrored at the cap rather than cut, or half of all long waits would end at the same moment.
  return Math.round(Math.min(delay, 2 * cap - delay));
}

function toDuration(value: number | undefined, fallback: number): number {
  if (value === undefined || Number.isNaN(value)) return fallback;
  return Math.min(Math.max(value, 0), maxMs);
}
