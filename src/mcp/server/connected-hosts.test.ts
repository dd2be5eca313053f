import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeRoom, type ConnectedHost } from "./connected-hosts.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("room for a new MCP host", () => {
  const places = new Set<ConnectedHost>();
  const connect = (more: Partial<ConnectedHost> = {}): ConnectedHost => {
    const host: ConnectedHost = {
      principal: "host",
      address: "127.0.0.1",
      busy: false,
      used: true,
      lastSeen: Date.now(),
      end: () => void places.delete(host),
      ...more,
    };
    places.add(host);
    return host;
  };
  const arrive = (): boolean =>
    makeRoom([...places], { principal: "host", address: "127.0.0.1" }, { maxPerPrincipal: 3 });
  beforeEach(() => places.clear());

  it("is made by programs that left without a word, seconds after they were used", () => {
    const left = [connect(), connect(), connect()];
    expect(arrive()).toBe(false); // all three may still be there
    vi.advanceTimersByTime(5000); // what the refusal named as the time to try again
    expect(arrive()).toBe(true);
    expect(places.has(left[0] as ConnectedHost)).toBe(false);
  });

  it("is made by hosts that never asked for anything first, and never by one that is at work", () => {
    const busy = connect({ busy: true });
    const used = connect();
    vi.advanceTimersByTime(60_000);
    const silent = connect({ used: false });
    expect(arrive()).toBe(true);
    expect([places.has(busy), places.has(used), places.has(silent)]).toEqual([true, true, false]);
    connect({ busy: true });
    expect(arrive()).toBe(true);
    expect([places.has(busy), places.has(used)]).toEqual([true, false]);
    connect({ busy: true });
    vi.advanceTimersByTime(600_000);
    expect(arrive()).toBe(false);
  });
});
