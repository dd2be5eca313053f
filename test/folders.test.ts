import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import picomatch from "picomatch";
import { expect, it } from "vitest";

const project = resolve(import.meta.dirname, "..");
const files = ["src", "test"].flatMap((top) =>
  readdirSync(join(project, top), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
    .map((name) => `${top}/${name}`),
);
const tests = files.filter((file) => file.endsWith(".test.ts"));
const testedFolders = new Set(tests.map((file) => dirname(file)));

it("has the tests of each folder in it or above it, or a README there that says where they are", () => {
  const products = files.filter((file) => file.startsWith("src/") && !/\.test\.ts$|\/testing\//.test(file));
  const folders = [...new Set(products.map((file) => dirname(file)))].filter((folder) => folder !== "src");
  expect(folders.length).toBeGreaterThan(30);
  expect(folders.filter((folder) => !hasTestsNear(folder) && testsNamedIn(folder).length === 0)).toEqual([]);
});

it("names only tests that exist in those READMEs", () => {
  const readmes = files.map((file) => dirname(file)).filter((folder) => folder.startsWith("src/"));
  const named = [...new Set(readmes)].flatMap(testsNamedIn);
  expect(named.length).toBeGreaterThan(3);
  const matchesSome = (pattern: string): boolean => {
    const matches = picomatch(pattern);
    return tests.some((test) => matches(test));
  };
  expect(named.filter((pattern) => !matchesSome(pattern))).toEqual([]);
});

function hasTestsNear(folder: string): boolean {
  if (folder === "src") return false;
  return testedFolders.has(folder) || hasTestsNear(dirname(folder));
}

/** The patterns in the line "Tests:" of the README in a folder, or of the one above it. */
function testsNamedIn(folder: string): string[] {
  const readme = join(project, folder, "README.md");
  if (!existsSync(readme)) return folder.split("/").length > 2 ? testsNamedIn(dirname(folder)) : [];
  const line = /^Tests: (.*)$/m.exec(readFileSync(readme, "utf8"))?.[1] ?? "";
  return [...line.matchAll(/`([^`]+)`/g)].map(([, pattern = ""]) => pattern);
}
