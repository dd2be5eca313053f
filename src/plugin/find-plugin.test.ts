import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findPlugin } from "./find-plugin.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-find-")));
const put = (name: string, text = ""): string => {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
  return join(root, name);
};
const places = { cwd: root, packageFolders: [join(root, "user"), root] };
const find = (source: string) => findPlugin(source, places);

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("findPlugin", () => {
  it("finds files by relative and absolute paths", () => {
    const file = put("a.ts");
    expect(find("./a.ts")).toMatchObject({ kind: "file", file, root });
    expect(find(file).file).toBe(file);
    expect(find("a.ts").file).toBe(file);
  });

  it("finds the main file of a folder by exports, main or index", () => {
    const index = put("plain/index.mjs");
    expect(find("./plain")).toMatchObject({ kind: "folder", file: index });
    put("main/package.json", JSON.stringify({ main: "lib/start" }));
    expect(() => find("./main")).toThrow(/names lib\/start, which does not exist/);
    expect([put("main/lib/start.ts"), find("./main").file]).toEqual(
      Array(2).fill(join(root, "main/lib/start.ts")),
    );
    put(
      "exp/package.json",
      JSON.stringify({ main: "no.js", exports: { ".": { require: "./c.cjs", import: "./m.mjs" } } }),
    );
    expect([put("exp/m.mjs"), find("./exp").file]).toEqual(Array(2).fill(join(root, "exp/m.mjs")));
  });

  it("finds packages in the first folder that has them", () => {
    put("node_modules/@me/tools/index.js");
    expect(find("@me/tools")).toMatchObject({ kind: "package", label: "@me/tools" });
    const nearer = put("user/node_modules/@me/tools/index.js");
    expect(find("@me/tools@1.2.3").file).toBe(nearer);
  });

  it.each([
    ["./no.ts", /does not exist/],
    ["", /named by a file/],
    ["a\0b", /named by a file/],
    ["no-such-package", /no package of that name/],
    ["x/y/z", /neither a path nor the name/],
    ["./empty", /neither an index file/],
    ["./text.md", /does not end in/],
    ["./broken", /is not valid JSON/],
  ])("says why %j was not found", (source, message) => {
    mkdirSync(join(root, "empty"), { recursive: true });
    put("text.md");
    put("broken/package.json", "{");
    expect(() => find(source)).toThrow(message);
  });

  it("points at a file that a bare name could have meant", () => {
    put("thing/index.js");
    expect(() => find("thing")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('"./thing"') }),
    );
  });
});
