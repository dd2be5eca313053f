import { describe, expect, it } from "vitest";
import type { ToolProgress } from "../../contract/tool.js";
import { DirectRequests } from "./direct-requests.js";

interface Sent {
  readonly id: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

function open() {
  const sent: Sent[] = [];
  const busy: boolean[] = [];
  const requests = new DirectRequests({
    send: (message) => void sent.push(message as Sent),
    setBusy: (is) => void busy.push(is),
    refused: (code, message, data) => Object.assign(new Error(message), { code, data }),
    closed: () => new Error("Connection closed"),
  });
  return { sent, busy, requests };
}

const never = new AbortController().signal;

describe("requests past the SDK", () => {
  it("pairs answers with their requests, whatever their order, and keeps the process alive meanwhile", async () => {
    const { sent, busy, requests } = open();
    const first = requests.request("tools/call", { name: "a" }, { signal: never });
    const second = requests.request("tools/call", { name: "b" }, { signal: never });
    expect(busy).toEqual([true]);
    requests.takeAnswer({ id: sent[1]?.id, result: { at: 2 } });
    requests.takeAnswer({ id: sent[0]?.id, result: { at: 1 } });
    expect(await Promise.all([first, second])).toEqual([{ at: 1 }, { at: 2 }]);
    expect(busy).toEqual([true, false]);
  });

  it("leaves answers and progress of the SDK's own requests to the SDK, and answers that nobody asked for", () => {
    const { requests } = open();
    expect(requests.takeAnswer({ id: 3, result: {} })).toBe(false);
    expect(requests.takeAnswer({ id: 1_000_000_001, result: {} })).toBe(false);
    expect(requests.takeProgress({ method: "notifications/progress", params: { progressToken: 3 } })).toBe(
      false,
    );
    expect(requests.takeProgress({ method: "notifications/message", params: {} })).toBe(false);
  });

  it("reports progress by its token, beside the metadata of the call", async () => {
    const { sent, requests } = open();
    const reports: ToolProgress[] = [];
    const params = { name: "a", _meta: { trace: "x" } };
    const call = requests.request("tools/call", params, {
      signal: never,
      onProgress: (report) => void reports.push(report),
    });
    const progressToken = sent[0]?.id;
    expect(sent[0]?.params).toEqual({ name: "a", _meta: { trace: "x", progressToken } });
    const report = { progressToken, progress: 1, total: "many", message: "on the way" };
    expect(requests.takeProgress({ method: "notifications/progress", params: report })).toBe(true);
    requests.takeAnswer({ id: progressToken, result: {} });
    await call;
    expect(reports).toEqual([{ progress: 1, message: "on the way" }]);
  });

  it("cancels at the server with the reason, and takes no offence at a late answer", async () => {
    const { sent, busy, requests } = open();
    const stop = new AbortController();
    const call = requests.request("tools/call", {}, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    const id = sent[0]?.id;
    expect(sent[1]).toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
    expect(busy).toEqual([true, false]);
    expect(requests.takeAnswer({ id, result: {} })).toBe(true);
    expect(requests.takeAnswer({ id, result: {} })).toBe(false); // a second time it is a fault
    await expect(requests.request("tools/call", {}, { signal: stop.signal })).rejects.toThrow("enough");
    expect(sent).toHaveLength(2);
  });

  it("is stopped in the place of a signal by what the call says, and listens no longer than it waits", async () => {
    const { sent, requests } = open();
    const listeners = new Set<(reason: Error) => void>();
    const call = {
      get signal(): AbortSignal {
        throw new Error("a signal was made");
      },
      onStop: (listener: (reason: Error) => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    const answered = requests.request("tools/call", {}, call);
    requests.takeAnswer({ id: sent[0]?.id, result: {} });
    await answered;
    expect(listeners.size).toBe(0);
    const stopped = requests.request("tools/call", {}, call);
    for (const stop of listeners) stop(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    expect(sent[2]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: sent[1]?.id, reason: "enough" },
    });
    const over = {
      signal: never,
      onStop: (tell: (reason: Error) => void) => (tell(new Error("late")), () => {}),
    };
    await expect(requests.request("tools/call", {}, over)).rejects.toThrow("late");
    expect(sent).toHaveLength(3);
  });

  it("says why a request failed: an error of the server, a result that is none, a connection that is gone", async () => {
    const { sent, requests } = open();
    const calls = [0, 1, 2].map(() => requests.request("tools/call", {}, { signal: never }));
    requests.takeAnswer({ id: sent[0]?.id, error: { code: -32042, message: "no", data: { why: 1 } } });
    requests.takeAnswer({ id: sent[1]?.id, result: "text" });
    requests.close();
    const [refused, strange, lost] = await Promise.allSettled(calls);
    expect(refused).toMatchObject({ reason: { code: -32042, message: "no", data: { why: 1 } } });
    expect(strange).toMatchObject({ reason: { code: -32603 } });
    expect(lost).toMatchObject({ reason: { message: "Connection closed" } });
  });
});
