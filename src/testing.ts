// The public names of `tenon/testing`.
export {
  createTestContext,
  type LoggedLine,
  type TestContext,
  type TestContextOptions,
} from "./test-kit/create-test-context.js";
export {
  toFailWith,
  toSucceed,
  toSucceedWith,
  type MatcherResult,
  type MatcherState,
  type TenonMatchers,
} from "./test-kit/matchers.js";
