import { expect } from "vitest";
import { toFailWith, toSucceed, toSucceedWith, type TenonMatchers } from "../../src/test-kit/matchers.js";

declare module "vitest" {
  // oxlint-disable-next-line no-unused-vars -- must repeat the parameters of the interface it extends
  interface Matchers<T> extends TenonMatchers {}
}

expect.extend({ toFailWith, toSucceed, toSucceedWith });
