import { accessSuite } from "./access-suite.js";
import { journalSuite } from "./journal-suite.js";
import type { NewFixture } from "./drivers.js";
import { locksSuite } from "./locks-suite.js";
import { secretsSuite } from "./secrets-suite.js";
import { sqlSuite } from "./sql-suite.js";
import { storesSuite } from "./stores-suite.js";

/**
 * Everything that the state promises, whatever database it is in.
 * @param lasting For tests that leave the schema as it is.
 */
export function stateSuite(newFixture: NewFixture, lasting = newFixture): void {
  sqlSuite(newFixture);
  storesSuite(lasting);
  locksSuite(lasting);
  journalSuite(lasting);
  accessSuite(newFixture);
  secretsSuite(lasting);
}
