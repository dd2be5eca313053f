import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AuthorisedCall } from "./authorise.js";
import * as authorise from "./authorise.js";
import * as receive from "./receive.js";
import type { ReceivedCall } from "./receive.js";
import * as resolve from "./resolve.js";
import type { ResolvedCall } from "./resolve.js";
import { schedule } from "./schedule.js";
import * as validate from "./validate.js";
import type { ValidatedCall } from "./validate.js";

/** Only the types are checked: nothing of this runs. */
export function checkTypes(received: ReceivedCall, resolved: ResolvedCall, validated: ValidatedCall): void {
  // @ts-expect-error A call that was not resolved cannot be validated.
  validate.validate(received);
  // @ts-expect-error A call that was not validated cannot be authorised.
  void authorise.authorise(resolved);
  // @ts-expect-error A call that was not authorised cannot be scheduled.
  schedule(validated, () => undefined);
  const { state, entry, settings } = validated;
  // @ts-expect-error The record of a stage cannot be written by hand.
  const forged: AuthorisedCall = { state, entry, settings, validated, decision: state.decision! };
  void forged;
  // @ts-expect-error A record does not change.
  validated.input = {};
}

describe("the record of a stage", () => {
  it.each([
    ["ReceivedCall", receive],
    ["ResolvedCall", resolve],
    ["ValidatedCall", validate],
    ["AuthorisedCall", authorise],
  ])("%s can only be created by its stage", (name, stage) => {
    expect(Object.keys(stage)).not.toContain(name);
  });

  it("is never cast to, in any file", () => {
    const src = join(import.meta.dirname, "..");
    const casts = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .filter((file) =>
        /\bas (?:unknown as )?(?:Received|Resolved|Validated|Authorised)Call\b/.test(
          readFileSync(join(src, file), "utf8"),
        ),
      );
    expect(casts).toEqual([]);
  });
});
