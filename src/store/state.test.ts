import { describe } from "vitest";
import { postgresGround, sqliteGround } from "./testing/drivers.js";
import { stateSuite } from "./testing/state-suite.js";

describe("sqlite", () => {
  stateSuite(sqliteGround);
});

describe("postgres", () => {
  stateSuite(postgresGround);
});
