import { accessSuite } from "./access-suite.js";
import { journalSuite } from "./journal-suite.js";
import type { NewFixture } from "./drivers.js";
import { locksSuite } from "./locks-suite.js";
import { secretsSuite } from "./secrets-suite.js";
import { sqlSuite } from "./sql-suite.js";
import { storesSuite } from "./stores-suite.js";

/**
 * Everything that the state promises, whatever database it is in.
 * @param newSchema For principals and tokens: their tests need a schema that nobody used before.
 */
export function stateSuite(newFixture: NewFixture, newSchema = newFixture): void {
  sqlSuite(newFixture);
  storesSuite(newFixture);
  locksSuite(newFixture);
  journalSuite(newFixture);
  accessSuite(newSchema);
  secretsSuite(newFixture);
}
