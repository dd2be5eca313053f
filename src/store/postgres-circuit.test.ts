import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createCircuit, type Circuit } from "./postgres-circuit.js";

let circuit: Circuit;
let probes: { resolve: () => void; reject: () => void }[] = [];
const start = 1000;

beforeEach(() => {
  vi.useFakeTimers();
  const began = Date.now();
  const clock = {
    now: Date.now,
    monotonic: () => start + Date.now() - began,
    sleep: () => Promise.resolve(),
  };
  probes = [];
  const probe = (): Promise<void> =>
    new Promise((resolve, reject) => probes.push({ resolve, reject: () => reject(new Error("down")) }));
  circuit = createCircuit({ clock, probe });
});
afterEach(() => {
  circuit.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** What a promise has come to. */
function watch(promise: Promise<unknown>): () => unknown {
  let state: unknown = "pending";
  promise.then(
    (value) => (state = value),
    (error: unknown) => (state = error),
  );
  return () => state;
}
const error = (): string => "down";
const isOpen = (): boolean => {
  try {
    circuit.check();
    return false;
  } catch (thrown) {
    expect(thrown).toBe("down");
    return true;
  }
};

it("lets everything through while the server is there", async () => {
  circuit.check();
  const patience = { until: start + 100, late: () => "late" };
  expect(await circuit.wait(async () => "result", patience)).toBe("result");
  expect(await circuit.wait(() => undefined, patience)).toBeUndefined();
  await expect(circuit.wait(() => Promise.reject(new Error("own")), patience)).rejects.toThrow("own");
  expect(probes).toEqual([]);
});

it("gives up at the time that was said, and tells the one who works", async () => {
  let signal: AbortSignal | undefined;
  const begin = (own: AbortSignal): Promise<never> => {
    signal = own;
    return new Promise<never>(() => {});
  };
  const state = watch(circuit.wait(begin, { until: start + 100, late: () => "late" }));
  await vi.advanceTimersByTimeAsync(99);
  expect([state(), signal?.aborted]).toEqual(["pending", false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([state(), signal?.aborted, signal?.reason]).toEqual(["late", true, "late"]);
  const past = watch(circuit.wait(begin, { until: start - 100, late: () => "past" }));
  await vi.advanceTimersByTimeAsync(0);
  expect(past()).toBe("past");
});

it("ends all that wait when the server is given up, each with an error of its own", async () => {
  const never = (): Promise<never> => new Promise<never>(() => {});
  const states = [1, 2].map(() => watch(circuit.wait(never, { until: start + 1e6, late: () => "late" })));
  let count = 0;
  circuit.open(() => `down ${++count}`);
  await vi.advanceTimersByTimeAsync(0);
  expect(states.map((state) => state())).toEqual(["down 1", "down 2"]);
  // The first one to say so is heard.
  circuit.open(error);
  expect(() => circuit.check()).toThrow("down 3");
});

it("looks for the server four times a second until it answers", async () => {
  circuit.open(error);
  expect(isOpen()).toBe(true);
  await vi.advanceTimersByTimeAsync(249);
  expect(probes).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(probes).toHaveLength(1);
  probes[0]?.reject();
  await vi.advanceTimersByTimeAsync(249);
  expect(probes).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect([probes.length, isOpen()]).toEqual([2, true]);
  probes[1]?.resolve();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([probes.length, isOpen()]).toEqual([2, false]);
  // It can be given up again.
  circuit.open(error);
  expect(isOpen()).toBe(true);
});

it("looks again where a look takes too long", async () => {
  circuit.open(error);
  await vi.advanceTimersByTimeAsync(250);
  await vi.advanceTimersByTimeAsync(2499);
  expect(probes).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(probes).toHaveLength(2);
  probes[0]?.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(isOpen()).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(probes).toHaveLength(2);
});

it("looks in one row of times only, and stops all of them, also if it is given up again at once", async () => {
  circuit.open(error);
  await vi.advanceTimersByTimeAsync(250);
  probes[0]?.resolve();
  await vi.advanceTimersByTimeAsync(0);
  circuit.open(error);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(250);
  expect(probes).toHaveLength(2);
});

it("looks no more once it is closed, and gives nothing up then", async () => {
  circuit.open(error);
  circuit.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(probes).toHaveLength(0);
  const other = createCircuit({
    clock: { now: Date.now, monotonic: Date.now, sleep: () => Promise.resolve() },
    probe: () => Promise.resolve(),
  });
  other.close();
  other.open(error);
  other.check();
});
