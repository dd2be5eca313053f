import { afterAll, describe } from "vitest";
import { lastingPostgresFixture, postgresFixture, sqliteFixture } from "./testing/drivers.js";
import { stateSuite } from "./testing/state-suite.js";

describe("sqlite", () => {
  stateSuite(sqliteFixture);
});

describe("postgres", () => {
  const server = lastingPostgresFixture();
  afterAll(() => server.end());
  stateSuite(postgresFixture, server.newFixture);
});
