import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { expect, it } from "vitest";
import { slowTests } from "./slow-tests.js";

const project = resolve(import.meta.dirname, "../..");
const files = ["src", "test"].flatMap((folder) =>
  readdirSync(resolve(project, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => !file.includes("node_modules"))
    .map((file) => resolve(project, folder, file)),
);

it("lists slow test files that exist, once each and in order", () => {
  const existing = new Set(files.map((file) => basename(file)));
  const names = slowTests.map(([, name]) => name);
  expect(names.filter((name) => !existing.has(`${name}.test.ts`))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  const seconds = slowTests.map(([each]) => each);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
});

it("lists every file that replaces a module: one that shares its process would get what others loaded", () => {
  const listed = new Set(slowTests.map(([, name]) => `${name}.test.ts`));
  const replacing = files.filter(
    (file) => file.endsWith(".test.ts") && /\bvi\.(?:doM|m)ock\(/.test(readFileSync(file, "utf8")),
  );
  expect(replacing).not.toEqual([]);
  expect(replacing.filter((file) => !listed.has(basename(file)))).toEqual([]);
});
