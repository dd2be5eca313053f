import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  codeOf,
  collect,
  createTestFixture,
  SECRET,
  type TestFixture,
} from "../../../test/attack/fixture.js";
import type { Guard } from "./guard-types.js";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

describe.each(["descriptor", "portable"] as const)("links and rules, held by %s", (kind) => {
  let fixture: TestFixture;
  let guard: Guard;
  beforeEach(() => {
    fixture = createTestFixture(kind);
    guard = fixture.guard();
  });
  afterEach(() => fixture.dispose());

  it("follows links that stay inside, in chains and through directories", async () => {
    fixture.put("real/a.txt", "inside");
    fixture.link("one", "real");
    fixture.link("two", "./one/../one");
    fixture.link("real/up", "../two/a.txt");
    fixture.link("absolute", path.join(fixture.ws, "real"));
    for (const name of ["one/a.txt", "two/a.txt", "real/up", "absolute/a.txt", "one/up"]) {
      expect(text(await guard.read(name))).toBe("inside");
    }
    expect(guard.canonical("two/up")).toBe(path.join(fixture.ws, "real/a.txt"));
  });

  it("refuses links that leave, however they are written", async () => {
    mkdirSync(path.join(fixture.ws, "d"));
    fixture.link("out", fixture.outside);
    fixture.link("file", path.join(fixture.outside, "secret.txt"));
    fixture.link("d/relative", "../../outside/secret.txt");
    fixture.link("chain", "d/relative");
    fixture.link("root", "/");
    fixture.link("up", "..");
    fixture.link("evil", `${fixture.ws}-evil`);
    for (const name of [
      "file",
      "out/secret.txt",
      "out/sub/secret.txt",
      "d/relative",
      "chain",
      `root${fixture.outside}/secret.txt`,
      "root/etc/passwd",
      "up/outside/secret.txt",
      "evil/x",
    ]) {
      expect([name, await codeOf(() => guard.read(name))]).toEqual([name, "PATH_SYMLINK"]);
      expect(await codeOf(() => guard.stat(name))).toBe("PATH_SYMLINK");
      expect(guard.check(name)).toMatchObject({ allowed: false, code: "PATH_SYMLINK" });
    }
    expect(await codeOf(() => collect(guard.list("out")))).toBe("PATH_SYMLINK");
    expect(await codeOf(() => collect(guard.list("up")))).toBe("PATH_SYMLINK");
  });

  it("comes back through a link that climbs above the workspace and into it again", async () => {
    fixture.put("a.txt", "inside");
    fixture.link("around", "../ws/a.txt");
    expect(text(await guard.read("around"))).toBe("inside");
  });

  it("says the same of what exists outside and what does not, and names neither", async () => {
    fixture.link("out", fixture.outside);
    fixture.link("gone", path.join(fixture.outside, "nothing"));
    const errors = await Promise.all(
      ["out/secret.txt", "out/missing", "out/secret.txt/below", "gone"].map((name) =>
        guard
          .read(name)
          .catch((error: Error) => `${error.name} ${error.message.replace(JSON.stringify(name), "X")}`),
      ),
    );
    expect(new Set(errors).size).toBe(1);
    expect(String(errors[0])).not.toContain("outside/");
    const outside = await Promise.all(
      ["/etc/passwd", "/etc/no-such-file"].map((name) =>
        guard.read(name).catch((error: Error) => error.message.replace(name, "X")),
      ),
    );
    expect(new Set(outside).size).toBe(1);
    expect(outside[0]).toMatch(/^Access denied: /);
  });

  it("refuses loops", async () => {
    fixture.link("a", "b");
    fixture.link("b", "a");
    fixture.link("self", "self/x");
    for (const name of ["a", "b/x", "self"])
      expect(await codeOf(() => guard.read(name))).toBe("PATH_SYMLINK");
    for (let index = 0; index < 45; index += 1) fixture.link(`chain${index}`, `chain${index + 1}`);
    fixture.put("chain45", "x");
    expect(await codeOf(() => guard.read("chain0"))).toBe("PATH_SYMLINK");
    expect(text(await guard.read("chain10"))).toBe("x");
  });

  it("refuses magic links of /proc and /dev", async () => {
    fixture.put("a.txt", "x");
    fixture.link("root", "/proc/self/root");
    fixture.link("cwd", "/proc/self/cwd");
    fixture.link("fd", "/proc/self/fd");
    fixture.link("devfd", "/dev/fd/0");
    fixture.link("stdin", "/dev/stdin");
    fixture.link("environ", "/proc/self/environ");
    const open = guard.openRead("a.txt");
    for (const name of [
      `root${fixture.outside}/secret.txt`,
      `root${fixture.ws}/a.txt`,
      "cwd/package.json",
      `fd/${open.fd}`,
      "devfd",
      "stdin",
      "environ",
    ]) {
      expect([name, await codeOf(() => guard.read(name))]).toEqual([name, "PATH_SYMLINK"]);
    }
    for (const name of [`/proc/self/fd/${open.fd}`, "/proc/self/root/etc/passwd", "/dev/zero", "/dev/fd/0"]) {
      expect(await codeOf(() => guard.read(name))).toBe("PATH_OUTSIDE");
    }
    open.close();
  });

  it("keeps the harder rules where they are on", async () => {
    fixture.put("real/a", "x");
    fixture.link("one", "real");
    fixture.link("real/b", "a");
    const strict = await fixture.files({ strict: { noSymlinks: true, noParent: true, noAbsolute: true } });
    expect(text(await strict.read("real/a"))).toBe("x");
    for (const name of ["one/a", "real/b"]) {
      expect(await codeOf(() => strict.read(name))).toBe("PATH_SYMLINK");
      expect(strict.check(name)).toMatchObject({ code: "PATH_SYMLINK" });
    }
    expect(await codeOf(() => strict.stat("real/b", { follow: false }))).toBe("PATH_SYMLINK");
    expect(await codeOf(() => strict.unlink("real/b"))).toBe("PATH_SYMLINK");
    expect(await codeOf(() => strict.read("real/../real/a"))).toBe("PATH_TRAVERSAL");
    expect(await codeOf(() => strict.read(path.join(fixture.ws, "real/a")))).toBe("PATH_OUTSIDE");
  });

  it("works in a workspace that was given through a link, and in further allowed paths", async () => {
    fixture.put("a", "x");
    symlinkSync(fixture.ws, path.join(fixture.base, "alias"));
    const linked = fixture.guard({ workspace: path.join(fixture.base, "alias") });
    expect(text(await linked.read("a"))).toBe("x");
    expect(text(await linked.read(path.join(fixture.base, "alias/a")))).toBe("x");
    fixture.link("through", path.join(fixture.base, "alias/a"));
    expect(text(await linked.read("through"))).toBe("x");
    const wide = fixture.guard({ allowedPaths: [fixture.outside] });
    fixture.link("out", fixture.outside);
    expect(text(await wide.read("out/secret.txt"))).toBe(SECRET);
    const opened = wide.openRead("out/secret.txt");
    expect(opened.path).toBe(path.join(fixture.outside, "secret.txt"));
    opened.close();
    expect(wide.display(path.join(fixture.ws, "a"))).toBe("a");
  });

  it("narrows to what a call may use", async () => {
    fixture.put("docs/a", "x");
    fixture.put("src/b", "y");
    fixture.link("docs/link", "../src/b");
    const narrow = guard.narrow(["docs"]);
    expect(text(await narrow.read("docs/a"))).toBe("x");
    for (const name of ["src", "src/b", "docs/link", "src/missing"]) {
      expect(await codeOf(() => narrow.stat(name))).toBe("PATH_OUTSIDE");
    }
    // What lies above can be listed, and shows only what leads to the allowed paths.
    expect(narrow.stat(".")).toMatchObject({ type: "directory" });
    const names: string[] = [];
    for await (const { name } of narrow.list(".")) names.push(name);
    expect(names).toEqual(["docs"]);
  });

  it("forbids by the real path and by the path that was asked for", async () => {
    fixture.put("private/key", "k");
    fixture.put("src/a", "x");
    fixture.link("src/alias", "../private");
    fixture.link("vault", "src");
    const strict = fixture.guard({ forbiddenPaths: ["private", "./vault/x"] });
    for (const name of ["private/key", "src/alias/key", "private/none", "src/alias/none", "vault/x"]) {
      expect([name, await codeOf(() => strict.read(name))]).toEqual([name, "PATH_FORBIDDEN"]);
    }
    await expect(strict.read("private/key")).rejects.toThrow('the rule "private"');
  });

  it("gives one canonical path for every spelling and never throws", () => {
    fixture.put("real/a");
    fixture.link("one", "real");
    const real = path.join(fixture.ws, "real/a");
    for (const name of ["real/a", "./real//a", "one/a", "one/../real/a", real])
      expect(guard.canonical(name)).toBe(real);
    expect(guard.canonical("one/new/file")).toBe(path.join(fixture.ws, "real/new/file"));
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        expect(path.isAbsolute(guard.canonical(anything as string))).toBe(true);
      }),
    );
    for (const name of ["a\0b", "../../x", "x".repeat(10_000), "\ud800", ""]) {
      expect(path.isAbsolute(guard.canonical(name))).toBe(true);
    }
  });
});

describe("an allowed path that is one file", () => {
  it("can be read and replaced, while its neighbors stay closed", async () => {
    const fixture = createTestFixture();
    const file = path.join(fixture.base, "shared.txt");
    writeFileSync(file, "old");
    const guard = await fixture.files({ allowedPaths: [file] });
    await guard.replaceFile(file, Buffer.from("new"));
    expect(text(await guard.read(file))).toBe("new");
    expect(await codeOf(() => guard.read(path.join(fixture.base, "outside/secret.txt")))).toBe(
      "PATH_OUTSIDE",
    );
    expect(await codeOf(() => guard.unlink(file))).toBe("PATH_FORBIDDEN");
    expect(readdirSync(fixture.base).sort()).toEqual(["outside", "shared.txt", "ws"]);
    await fixture.dispose();
  });
});
