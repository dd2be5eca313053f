import { afterAll, describe } from "vitest";
import { lastingPostgresGround, quickSqliteGround } from "./testing/drivers.js";
import { limitsSuite } from "./testing/limits-suite.js";
import { memoriesSuite } from "./testing/memories-suite.js";
import { pipelineSuite } from "./testing/pipeline-suite.js";
import { planSuite } from "./testing/plan-suite.js";
import { snippetsSuite } from "./testing/snippets-suite.js";

const server = lastingPostgresGround();

afterAll(() => server.end());

describe.each([
  ["sqlite", quickSqliteGround],
  ["postgres", server.newGround],
])("%s", (_name, newGround) => {
  limitsSuite(newGround);
  snippetsSuite(newGround);
  memoriesSuite(newGround);
  planSuite(newGround);
  pipelineSuite(newGround);
});
