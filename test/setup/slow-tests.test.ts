import { readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { expect, it } from "vitest";
import { slowTests } from "./slow-tests.js";

const project = resolve(import.meta.dirname, "../..");

it("lists slow test files that exist, once each and in order", () => {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(resolve(project, folder), { recursive: true, encoding: "utf8" }),
  );
  const existing = new Set(files.map((file) => basename(file)));
  const names = slowTests.map(([, name]) => name);
  expect(names.filter((name) => !existing.has(`${name}.test.ts`))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  const seconds = slowTests.map(([each]) => each);
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
});
