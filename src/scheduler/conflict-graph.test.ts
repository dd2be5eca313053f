import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Claim, ConflictGraph, leaveGraphs } from "./conflict-graph.js";
import type { Lock } from "./locks.js";

const write = (key: string): Lock => ({ space: "path", key, write: true });
const read = (key: string): Lock => ({ space: "path", key, write: false });

function createGraph() {
  const graph = new ConflictGraph<string>();
  const enter = (owner: string, ...locks: Lock[]) => {
    const claim = new Claim(owner);
    graph.enter(claim, locks);
    return claim;
  };
  const leave = (claim: Claim<string>) => {
    const freed: string[] = [];
    leaveGraphs(claim, (owner) => freed.push(owner));
    return freed;
  };
  return { graph, enter, leave };
}

describe("ConflictGraph", () => {
  it("frees those behind a claim in their order of arrival", () => {
    const { enter, leave } = createGraph();
    const first = enter("first", write("/a"));
    enter("second", read("/a"));
    const third = enter("third", read("/a/b"));
    const fourth = enter("fourth", write("/a"));
    expect(leave(first)).toEqual(["second", "third"]);
    expect(third.blockers).toBe(0);
    expect(fourth.blockers).toBeGreaterThan(0);
  });

  it("lets calls that take a part of a session run together, and none of them beside one that takes it whole", () => {
    const session = (write: boolean, partial?: true): Lock => ({
      space: "session",
      key: "s",
      write,
      ...(partial && { partial }),
    });
    const { enter, leave } = createGraph();
    const parts = [enter("one", session(true, true)), enter("two", session(true, true))];
    expect(parts.map(({ blockers }) => blockers)).toEqual([0, 0]);
    const whole = enter("whole", session(true));
    expect(whole.blockers).toBeGreaterThan(0);
    expect(parts.flatMap(leave)).toEqual(["whole"]);
    const reading = enter("reading", session(false, true));
    expect(reading.blockers).toBeGreaterThan(0);
    expect(leave(whole)).toEqual(["reading"]);
    // One that reads the whole does not disturb others that read a part, but those that write one.
    expect(enter("reads all", session(false)).blockers).toBe(0);
    expect(enter("writes a part", session(true, true)).blockers).toBeGreaterThan(0);
  });

  it("makes later claims wait for one that was only announced", () => {
    const { graph, enter, leave } = createGraph();
    const earlier = enter("earlier", write("/a"));
    const announced = new Claim("announced");
    graph.announce(announced, [write("/a")]);
    expect(announced.blockers).toBe(0);
    const later = enter("later", write("/a"));
    expect(leave(earlier)).toEqual([]);
    expect(later.blockers).toBeGreaterThan(0);
    expect(leave(announced)).toEqual(["later"]);
  });

  it("keeps nothing in memory once all have left, in whatever order", () => {
    const key = fc.constantFrom("/", "/a", "/a/b", "/a/b/c", "/a/d", "/e");
    const lock: fc.Arbitrary<Lock> = fc.record({
      space: fc.constantFrom("path", "path", "path", "env", "lock"),
      key,
      write: fc.boolean(),
    });
    const claims = fc.array(fc.record({ locks: fc.array(lock, { maxLength: 4 }), rank: fc.nat() }), {
      maxLength: 40,
      size: "max",
    });
    fc.assert(
      fc.property(claims, (list) => {
        const { graph, enter, leave } = createGraph();
        const entered = list.map(({ locks, rank }) => ({ claim: enter("x", ...locks), rank }));
        for (const { claim } of entered.sort((a, b) => a.rank - b.rank)) leave(claim);
        expect(graph.empty).toBe(true);
      }),
    );
  });

  it("unwinds a long chain of cancelled claims without exhausting the stack", () => {
    const { graph, enter, leave } = createGraph();
    const first = enter("first", write("/a"));
    const pairs = Array.from({ length: 50_000 }, () => ({
      writer: enter("writer", write("/a")),
      reader: enter("reader", read("/a")),
    }));
    for (const { writer } of pairs) expect(leave(writer)).toEqual([]);
    expect(leave(first)).toHaveLength(pairs.length);
    for (const { reader } of pairs) leave(reader);
    expect(graph.empty).toBe(true);
  });
});
