import { afterAll, describe } from "vitest";
import { lastingPostgresFixture, postgresFixture, quickSqliteFixture } from "./testing/drivers.js";
import { stateSuite } from "./testing/state-suite.js";

describe("sqlite", () => {
  stateSuite(quickSqliteFixture);
});

describe("postgres", () => {
  const server = lastingPostgresFixture();
  afterAll(() => server.end());
  stateSuite(server.newFixture, postgresFixture);
});
