import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import * as surface from "../src/index.js";
import { apiPage, exportedNames, pinnedTypes, readDeclarations } from "./generate/api-pages.js";

const root = resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, "dist", file), "utf8");
const main = readDeclarations(read("index.d.ts"));
const testing = readDeclarations(read("testing.d.ts"));

/** These read the built package: `npm run build && npx vitest run test/docs-api -u` renews the pages. */
describe("the public interface", () => {
  it.each([
    ["index.d.ts", main],
    ["testing.d.ts", testing],
  ])("in %s is documented whole, and its functions have examples", (file, declarations) => {
    const found = new Set(declarations.map(({ name }) => name));
    expect(exportedNames(read(file)).filter((name) => !found.has(name))).toEqual([]);
    expect(declarations.filter(({ comment }) => comment === "").map(({ name }) => name)).toEqual([]);
    const functions = declarations.filter(({ kind }) => kind === "function");
    expect(functions.filter(({ comment }) => !comment.includes("@example")).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it("has a section for every value", () => {
    const values = new Set(main.filter(({ kind }) => kind !== "type").map(({ name }) => name));
    expect(Object.keys(surface).filter((name) => !values.has(name))).toEqual([]);
  });

  it("docs/reference/api.md shows functions, classes and constants", async () => {
    const intro =
      "The functions, classes and constants of the package, with examples. Their types are on [a page of their own](api-types.md);\n" +
      "what `tenon/testing` exports is [here](api-testing.md). The [guide](../guide/library.md) explains how they go together.";
    const page = apiPage(
      "The library",
      intro,
      main.filter(({ kind }) => kind !== "type"),
    );
    await expect(page).toMatchFileSnapshot("../docs/reference/api.md");
  });

  it("docs/reference/api-types.md shows the types", async () => {
    const intro = "The types that the [functions and classes](api.md) of the package take and return.";
    const page = apiPage(
      "The types of the library",
      intro,
      main.filter(({ kind }) => kind === "type"),
    );
    await expect(page).toMatchFileSnapshot("../docs/reference/api-types.md");
  });

  it("docs/reference/api-testing.md shows tenon/testing", async () => {
    const intro = "What `tenon/testing` exports. The [guide](../guide/testing.md) shows how to use it.";
    await expect(apiPage("tenon/testing", intro, testing)).toMatchFileSnapshot(
      "../docs/reference/api-testing.md",
    );
  });

  it("has exactly the pinned types", async () => {
    await expect(pinnedTypes(main)).toMatchFileSnapshot("surface/tenon.d.ts.txt");
    await expect(pinnedTypes(testing)).toMatchFileSnapshot("surface/testing.d.ts.txt");
  });
});
