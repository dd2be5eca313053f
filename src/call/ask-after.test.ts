import { expect, it } from "vitest";
import type { ShownChanges } from "../contract/session.js";
import { previewChanges } from "./ask-after.js";

const shown = (heldBack: readonly object[], count = 2): ShownChanges =>
  ({
    changes: Array.from({ length: count }, (_, n) => ({ path: `${n}.txt`, kind: "created" })),
    heldBack,
    diff: "+ x",
  }) as never;
const held = (path: string, more: object = {}) => ({ path, reason: "secret", rule: "r1", size: 7, ...more });

it("shows all changes of a command that has run, without a note where none is held back", () => {
  expect(previewChanges(shown([]))).toEqual({
    summary: "The command has run on a layer. Commit its 2 changes to the workspace?",
    diff: "+ x",
    details: {
      changes: [
        { path: "0.txt", change: "created" },
        { path: "1.txt", change: "created" },
      ],
    },
  });
});

it("says how many changes are held back, and not of those that this answer decides about", () => {
  const one = previewChanges(shown([held("a"), held("b", { asks: true })], 1));
  expect(one.summary).toContain("its 1 change to the workspace, without 1 that is held back?");
  expect(one.details?.["heldBack"]).toEqual([{ path: "a", reason: "secret", rule: "r1" }]);
  const two = previewChanges(shown([held("a"), held("b")]));
  expect(two.summary).toContain("without 2 that are held back?");
  expect(previewChanges(shown([held("a", { asks: true })])).details).not.toHaveProperty("heldBack");
});
