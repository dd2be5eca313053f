import { describe } from "vitest";
import { postgresFixture, sqliteFixture } from "./testing/drivers.js";
import { stateSuite } from "./testing/state-suite.js";

describe("sqlite", () => {
  stateSuite(sqliteFixture);
});

describe("postgres", () => {
  stateSuite(postgresFixture);
});
