import { journalSuite } from "./journal-suite.js";
import type { NewGround } from "./drivers.js";
import { locksSuite } from "./locks-suite.js";
import { sqlSuite } from "./sql-suite.js";
import { storesSuite } from "./stores-suite.js";

/** Everything that the state promises, whatever database it is in. */
export function stateSuite(newGround: NewGround): void {
  sqlSuite(newGround);
  storesSuite(newGround);
  locksSuite(newGround);
  journalSuite(newGround);
}
