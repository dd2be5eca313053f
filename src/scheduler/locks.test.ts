import { describe, expect, it } from "vitest";
import { ToolInternalError, ToolSecurityError } from "../contract/errors.js";
import type { Resources } from "../contract/resources.js";
import { toLocks as locksIn, type Lock } from "./locks.js";

const inWorkspace = (path: string): string => (path.startsWith("/") ? path : `/ws/${path}`);

/** The locks that all sessions share. */
function toLocks(resources: Resources | undefined, canonicalPath = inWorkspace): readonly Lock[] {
  const locks = locksIn(resources, { canonicalPath, sessionId: "s" });
  return locks.some(({ space }) => space === "session")
    ? locks.filter(({ space }) => space !== "session")
    : locks;
}

describe("toLocks", () => {
  it("answers with one shared, frozen list where a call touches nothing", () => {
    const none = toLocks(undefined, inWorkspace);
    expect(none).toEqual([]);
    expect(Object.isFrozen(none)).toBe(true);
    expect(toLocks({}, inWorkspace)).toBe(none);
    expect(toLocks({ reads: [], writes: [] }, inWorkspace)).toBe(none);
  });

  it("makes paths and trees canonical and keeps the other spaces apart", () => {
    const locks = toLocks(
      { reads: [{ path: "a.txt" }, { env: "K" }, { lock: "K" }], writes: [{ tree: "src" }, { host: "K" }] },
      inWorkspace,
    );
    expect(locks).toEqual([
      { space: "path", key: "/ws/src", write: true },
      { space: "host", key: "k", write: true },
      { space: "path", key: "/ws/a.txt", write: false },
      { space: "env", key: "K", write: false },
      { space: "lock", key: "K", write: false },
    ]);
  });

  it("keeps the whole where a call names a whole and a part, in any order, and writes where either writes", () => {
    const own = (resources: Resources): unknown =>
      locksIn(resources, { canonicalPath: inWorkspace, sessionId: "s" }).filter(
        ({ space }) => space === "session",
      );
    const whole = { tree: ".", scope: "session" } as const;
    const part = { path: "/a" };
    const expected = [{ space: "session", key: "s", write: true }];
    expect(own({ writes: [whole, part] })).toEqual(expected);
    expect(own({ writes: [part, whole] })).toEqual(expected);
    expect(own({ writes: [whole], reads: [part] })).toEqual(expected);
    expect(own({ writes: [part], reads: [part] })).toEqual([{ ...expected[0], partial: true }]);
    expect(own({ reads: [part, part] })).toEqual([{ ...expected[0], write: false, partial: true }]);
  });

  it("lets a call that touches files take a part of its session, and one that takes all of it the whole", () => {
    const own = (resources: Resources): unknown =>
      locksIn(resources, { canonicalPath: inWorkspace, sessionId: "s" });
    const session = { space: "session", key: "s" };
    expect(own({ reads: [{ path: "/a" }] })).toEqual([
      { space: "path", key: "/a", write: false },
      { ...session, write: false, partial: true },
    ]);
    expect(own({ writes: [{ tree: ".", scope: "session" }] })).toEqual([{ ...session, write: true }]);
    expect(own({ reads: [{ tree: ".", scope: "session" }], writes: [{ path: "/a" }] })).toEqual([
      { space: "path", key: "/a", write: true },
      { ...session, write: true },
    ]);
    expect(own({ reads: [{ env: "K" }] })).toEqual([{ space: "env", key: "K", write: false }]);
  });

  it("keeps only the write where a call reads and writes the same thing", () => {
    const resources: Resources = {
      reads: [{ path: "/a" }, { path: "/a" }],
      writes: [{ tree: "/a/" }, { path: "/a" }],
    };
    expect(toLocks(resources, inWorkspace)).toEqual([{ space: "path", key: "/a", write: true }]);
  });

  it("takes host names without regard to case or a final dot", () => {
    const resources: Resources = { reads: [{ host: "Example.COM." }, { host: "example.com" }] };
    expect(toLocks(resources, inWorkspace)).toEqual([{ space: "host", key: "example.com", write: false }]);
  });

  it("parts Windows paths at backslashes and leaves them alone in others", () => {
    const keyOf = (path: string) => toLocks({ reads: [{ path }] }, (same) => same)[0]?.key;
    expect(keyOf("C:\\work\\a.txt")).toBe("C:/work/a.txt");
    expect(keyOf("\\\\server\\share")).toBe("/server/share");
    expect(keyOf("/work/a\\b")).toBe("/work/a\\b");
    expect(keyOf("/")).toBe("/");
    expect(keyOf("//a///b/")).toBe("/a/b");
  });

  it("passes on the refusal of a path", () => {
    const refuse = (): string => {
      throw new ToolSecurityError("outside");
    };
    expect(() => toLocks({ reads: [{ path: "../x" }] }, refuse)).toThrow(ToolSecurityError);
  });

  it.each([
    { reads: "all" },
    { writes: { path: "a" } },
    { reads: [null] },
    { reads: ["a.txt"] },
    { reads: [{}] },
    { reads: [{ file: "a" }] },
    { writes: [{ path: 7 }] },
  ])("refuses the malformed resources %j", (resources) => {
    expect(() => toLocks(resources as unknown as Resources, inWorkspace)).toThrow(ToolInternalError);
  });
});
