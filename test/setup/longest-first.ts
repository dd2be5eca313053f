import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { slowTests } from "./slow-tests.js";

const secondsByName = new Map(slowTests.map(([seconds, name]) => [`${name}.test.ts`, seconds]));

/** Starts the longest files first: a minute that begins last is a minute during which the other cores wait. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification): number => secondsByName.get(basename(moduleId)) ?? 0;
    return (await super.sort(files)).sort((a, b) => seconds(b) - seconds(a));
  }
}
