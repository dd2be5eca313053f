import { describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import { KeptAnswers } from "./results.js";

const answer = (number: number, chars: number) => ({
  envelope: { callId: `c${number}`, result: { text: "x".repeat(chars) } } as unknown as ToolEnvelope,
  principal: "local",
});

function keptAfter(count: number, chars: number, limits: object): string[] {
  const answers = new KeptAnswers(limits);
  for (let n = 0; n < count; n++) answers.add(answer(n, chars));
  return Array.from({ length: count }, (_, n) => `c${n}`).filter((id) => answers.find(id) !== undefined);
}

describe("the answers that are kept", () => {
  it("are the last so many", () => {
    expect(keptAfter(25, 10, { maxAnswers: 10 })).toEqual(Array.from({ length: 10 }, (_, n) => `c${n + 15}`));
  });

  it("are fewer where they are large, but never fewer than eight", () => {
    const kept = keptAfter(100, 1000, { maxAnswers: 50, maxChars: 20_000 });
    expect(kept).toEqual(Array.from({ length: 19 }, (_, n) => `c${n + 81}`));
    expect(keptAfter(100, 100_000, { maxAnswers: 50, maxChars: 20_000 })).toHaveLength(8);
  });

  it("are as many as before once large ones have left", () => {
    const answers = new KeptAnswers({ maxAnswers: 20, maxChars: 2000 });
    for (let n = 0; n < 30; n++) answers.add(answer(n, 5000));
    for (let n = 30; n < 60; n++) answers.add(answer(n, 10));
    expect([answers.find("c39"), answers.find("c40")?.envelope.callId]).toEqual([undefined, "c40"]);
  });

  it("belong to whom they were given", () => {
    const answers = new KeptAnswers();
    answers.add({ ...answer(1, 1), principal: "alice" });
    expect(answers.find("c1")?.principal).toBe("alice");
  });
});
