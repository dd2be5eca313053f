import { describe, expect, it } from "vitest";
import type { Bus } from "../bus/open-bus.js";
import { maxMessageBytes, namesOf } from "../protocol.js";
import { publishOutcome } from "./call-outcomes.js";

describe("an outcome", () => {
  it("that no message can hold is told once, not tried again for minutes", async () => {
    const sent: string[] = [];
    const bus = {
      names: namesOf("a"),
      newHeaders: () => ({}),
      endOfTurn: async () => {},
      publisher: {
        publish: async (_subject: string, payload: Uint8Array) =>
          void sent.push(Buffer.from(payload).toString()),
      },
    } as unknown as Bus;
    const envelope = {
      callId: "call_1",
      toolName: "echo",
      success: true,
      result: "x".repeat(maxMessageBytes),
    };
    await publishOutcome(bus, "f1", {
      callId: "call_1",
      proof: "p",
      worker: "w",
      envelope,
      wrapped: false,
      maxChars: 9,
    });
    expect(sent).toHaveLength(1);
    expect(JSON.parse(sent[0] ?? "")).toMatchObject({
      callId: "call_1",
      proof: "p",
      envelope: {
        success: false,
        error: { code: "RESULT_INVALID", message: expect.stringContaining("was made") as string },
      },
    });
  });
});
