import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PendingRoots } from "./pending-roots.js";
import { scriptedServer } from "./testing/scripted-server.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const question = { params: {}, signal: new AbortController().signal };
const roots = { ...question, method: "roots/list" as const };

/** A connection and the roots that its host has not answered with yet. */
async function open(speaks: "legacy" | "modern" = "legacy") {
  const { open: connect } = scriptedServer({ speaks: [speaks] });
  const connection = await connect("srv", { kind: "program", command: "x", env: {} }, { timeoutMs: 1 });
  const answers: { resolve: (answer: object) => void; reject: (error: Error) => void }[] = [];
  const pending = new PendingRoots(
    () => new Promise((resolve, reject) => answers.push({ resolve: resolve as () => void, reject })),
  );
  let isReady = false;
  const settle = () => void pending.settle(connection).then(() => (isReady = true));
  const pass = async (ms: number) => (await vi.advanceTimersByTimeAsync(ms), isReady);
  return { pending, answers, settle, pass };
}

it("lets a server take in the roots that it asked for before anybody calls it", async () => {
  for (const end of ["resolve", "reject"] as const) {
    const { pending, answers, settle, pass } = await open();
    pending.answer(roots, []).catch(() => {});
    settle();
    expect(await pass(500)).toBe(false);
    answers[0]?.[end](new Error("the host has none"));
    expect(await pass(0)).toBe(false);
    await expect.poll(() => pass(0)).toBe(true);
  }
});

it("waits two seconds for them at most", async () => {
  const { pending, settle, pass } = await open();
  void pending.answer(roots, []);
  settle();
  expect(await pass(1999)).toBe(false);
  expect(await pass(1)).toBe(true);
});

it("does not wait where none were asked for, or the server asks with its answers", async () => {
  const { pending, settle, pass } = await open();
  void pending.answer({ ...question, method: "elicitation/create" }, []);
  settle();
  expect(await pass(0)).toBe(true);
  const modern = await open("modern");
  void modern.pending.answer(roots, []);
  modern.settle();
  expect(await modern.pass(0)).toBe(true);
});
