import type { JsMsg } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import { TakenMessages } from "./taken-messages.js";

function messageOf(callId: string): JsMsg {
  const given = headers();
  given.set("Nats-Msg-Id", callId);
  return { headers: given } as JsMsg;
}

describe("the messages that a worker has taken", () => {
  it("are found by their call, also when one was sent twice and the first is gone", () => {
    const taken = new TakenMessages();
    const [one, again, other] = [messageOf("a"), messageOf("a"), messageOf("b")];
    for (const message of [one, again, other]) taken.add(message);
    expect(taken.size).toBe(3);
    expect(taken.find("a")).toBe(one);
    taken.delete(one);
    expect(taken.find("a")).toBe(again);
    taken.delete(again);
    taken.delete(again);
    expect(taken.find("a")).toBeUndefined();
    expect([...taken]).toEqual([other]);
  });
});
