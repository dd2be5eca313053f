import { describe, expect, it } from "vitest";
import { createFaultLog } from "./fault-log.js";
import { toServerView } from "./server-view.js";

interface Parts {
  readonly spec?: object;
  readonly enabled?: boolean;
  readonly primary?: object;
  readonly faults?: readonly string[];
}

function view({ spec, enabled = true, primary = {}, faults: said = [] }: Parts = {}) {
  const faults = createFaultLog(
    () => 5,
    (text) => text,
  );
  for (const each of said) faults.add(each);
  faults.addOutput("a line");
  const server = {
    name: "srv",
    settings: { spec: spec ?? { kind: "program", command: "run", args: ["secret"] } },
    enabled,
    links: { primary, shownState: "ready" },
    catalogue: { view: () => ({ tools: 3 }) },
  };
  return toServerView(server as never, { faults, hide: (text) => text.replaceAll("secret", "***") });
}

describe("a server in lists", () => {
  it("has its target without secrets, its state, its tools and what it said", () => {
    const { faults, log, target, ...rest } = view();
    expect(rest).toEqual({ name: "srv", state: "ready", tools: 3, sandbox: false });
    expect([faults, log]).toEqual([[], ["a line"]]);
    expect(target).toContain("run");
    expect(target).not.toContain("secret");
    expect(view({ enabled: false }).state).toBe("disabled");
  });

  it("has what its connection is, and when it is tried again", () => {
    const primary = { connection: { protocol: "2025-11-25", pid: 7 }, needsLogin: true, nextTryAt: 9 };
    expect(view({ primary })).toMatchObject({
      protocol: "2025-11-25",
      pid: 7,
      needsLogin: true,
      nextTryAt: 9,
    });
    for (const name of ["protocol", "pid", "needsLogin", "nextTryAt", "fault"])
      expect(view()).not.toHaveProperty(name);
    expect(view({ primary: { connection: { protocol: "2025-11-25" } } })).not.toHaveProperty("pid");
  });

  it("has why it failed, or else the last fault", () => {
    expect(view({ faults: ["one", "two"] }).fault).toBe("two");
    expect(view({ faults: ["one"], primary: { reason: "why" } }).fault).toBe("why");
    expect(view({ faults: ["one"] }).faults).toMatchObject([{ message: "one" }]);
  });

  it("says what sandbox its program runs in, and nothing of one for an address", () => {
    const sandbox = { network: ["a"] };
    expect(view({ spec: { kind: "program", command: "x", sandbox } }).sandbox).toEqual(sandbox);
    expect(view({ spec: { kind: "program", command: "x", sandbox: true } }).sandbox).toBe(true);
    expect(view({ spec: { kind: "http", url: "https://a.example/" } })).not.toHaveProperty("sandbox");
  });
});
