import { describe, expect, it } from "vitest";
import { ToolNotFoundError } from "../contract/errors.js";
import { makeNamed as make, thrown, versionOf, view } from "./registry.fixture.js";
import { ToolRegistry } from "./tool-registry.js";

describe("versions", () => {
  const registry = new ToolRegistry();
  for (const version of ["1.2.0", "2.0.0-beta.1", "1.10.0", "0.9.0", "1.9.3+build"]) {
    registry.register(make("t", { version, aliases: ["u"] }));
  }

  it.each([
    ["t", "1.10.0"],
    ["u", "1.10.0"],
    ["t@latest", "1.10.0"],
    ["t@^1.2", "1.10.0"],
    ["t@~1.2", "1.2.0"],
    ["t@1.9.3", "1.9.3+build"],
    ["t@<1", "0.9.0"],
    ["u@0.9.0", "0.9.0"],
    ["t@2.0.0-beta.1", "2.0.0-beta.1"],
    ["t@^2.0.0-alpha", "2.0.0-beta.1"],
    ["t@1 || 2", "1.10.0"],
  ])("%s is %s", (spec, version) => {
    expect(versionOf(registry, spec)).toBe(version);
    expect(versionOf(registry, spec)).toBe(version);
  });

  it.each(["t@^3", "t@3.0.0", "t@nonsense", "t@", `t@${"1".repeat(300)}`])(
    "%s is not found, with a hint",
    (spec) => {
      const error = thrown(() => registry.resolve(spec, view));
      expect(error).toBeInstanceOf(ToolNotFoundError);
      expect(error.hint).toContain("1.10.0, 1.9.3+build, 1.2.0, 0.9.0, 2.0.0-beta.1");
    },
  );

  it("refuses the same version twice, build metadata aside", () => {
    expect(thrown(() => registry.register(make("t", { version: "1.2.0" }))).code).toBe("NAME_TAKEN");
    expect(thrown(() => registry.register(make("t", { version: "1.2.0+x" }))).code).toBe("NAME_TAKEN");
  });

  it("follows what comes and goes", async () => {
    const own = new ToolRegistry();
    own.register(make("t", { version: "1.0.0", aliases: ["old"] }));
    expect(versionOf(own, "t@^1")).toBe("1.0.0");
    own.register(make("t", { version: "1.1.0" }));
    expect(versionOf(own, "t@^1")).toBe("1.1.0");
    expect(versionOf(own, "old")).toBe("1.1.0");
    await own.unregister("t@1.1.0");
    expect(versionOf(own, "t@^1")).toBe("1.0.0");
    own.register(make("t", { version: "3.0.0-rc.1" }));
    expect(own.list()).toHaveLength(1);
    await own.unregister("t@1.0.0");
    expect(versionOf(own, "t")).toBe("3.0.0-rc.1");
    expect(own.has("old")).toBe(false);
  });
});
