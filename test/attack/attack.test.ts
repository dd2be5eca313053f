import { describe, expect, it } from "vitest";
import { control, operations } from "./operations.js";
import { runAttack } from "./run-attack.js";

/** How long and often each operation is attacked here; `npm run check:long` runs 100,000 tries of each. */
const least = { milliseconds: 300, tries: 100 };

describe("while another process exchanges directories and files with links that leave", () => {
  it("the naive way (resolve, compare, open) is led outside, so the attack is real", async () => {
    const { escapes, tries, swaps, how } = await runAttack(control, {
      least: { ...least, milliseconds: 1000 },
    });
    process.stderr.write(
      `\nATTACK by ${how}: control escaped ${escapes} of ${tries} times in ${swaps} swaps\n`,
    );
    expect(escapes).toBeGreaterThan(0);
  });

  it.each(Object.entries(operations))(
    "%s reads and changes nothing outside",
    async (name, operation) => {
      const result = await runAttack(operation, { least });
      expect(result).toMatchObject({ escapes: 0, faults: [], leaked: 0 });
      expect(result.swaps).toBeGreaterThan(100);
      // Changes are flushed to the disk, and a busy disk takes its time.
    },
    120_000,
  );
});
