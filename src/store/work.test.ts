import { afterAll, describe } from "vitest";
import { lastingPostgresFixture, quickSqliteFixture } from "./testing/drivers.js";
import { limitsSuite } from "./testing/limits-suite.js";
import { memoriesSuite } from "./testing/memories-suite.js";
import { pipelineSuite } from "./testing/pipeline-suite.js";
import { planSuite } from "./testing/plan-suite.js";
import { snippetsSuite } from "./testing/snippets-suite.js";

const server = lastingPostgresFixture();

afterAll(() => server.end());

describe.each([
  ["sqlite", quickSqliteFixture],
  ["postgres", server.newFixture],
])("%s", (_name, newFixture) => {
  limitsSuite(newFixture);
  snippetsSuite(newFixture);
  memoriesSuite(newFixture);
  planSuite(newFixture);
  pipelineSuite(newFixture);
});
