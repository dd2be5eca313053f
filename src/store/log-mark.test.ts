import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lostTimes } from "./log-mark.js";
import { openState, type State } from "./open-state.js";
import type { OwnedState } from "./ownership.js";

let base: string;
const opened: State[] = [];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-mark-"));
  mkdirSync(join(base, "workspace"));
});

afterEach(async () => {
  for (const state of opened.splice(0)) await state.close();
  rmSync(base, { recursive: true, force: true });
});

/** Own the workspace; the result is what its owner does with its state. */
async function own(epoch: number): Promise<OwnedState> {
  let owned: OwnedState | undefined;
  const ownership = { name: "fleet:t/main", epoch, onOpen: (told: OwnedState) => (owned = told) };
  const places = { stateDir: join(base, "state"), workspace: join(base, "workspace") };
  opened.push(await openState({ ...places, ownership }));
  if (owned === undefined) throw new Error("It is not owned.");
  return owned;
}

const head = (seq: number) => ({ seq, hash: String(seq) });

describe("how far the log of a workspace has come", () => {
  it("is not told by a worker that has lost the workspace: the next owner would take the database for an old one", async () => {
    const first = await own(1);
    await first.noteHead(head(10));
    const second = await own(2);
    await expect(first.noteHead(head(20))).rejects.toThrow(/Another worker has taken over/);
    await second.noteHead(head(1_000_001));
    await expect(first.noteHead(head(30))).rejects.toThrow(/Another worker has taken over/);
    await second.noteHead(head(1_000_002));
    await own(3);
    expect(await lostTimes(opened[2]?.sql as never)).toEqual([]);
  });

  it("tells that the database was put back, where its owner still has the workspace", async () => {
    const owner = await own(1);
    await owner.noteHead(head(10));
    await owner.noteHead(head(20));
    await opened[0]?.sql.run("UPDATE meta SET value = ? WHERE key = 'log_mark'", [
      JSON.stringify({ ...head(10), at: 1 }),
    ]);
    await expect(owner.noteHead(head(30))).rejects.toThrow(/put back to an earlier state/);
    await own(2);
    expect(await lostTimes(opened[1]?.sql as never)).toMatchObject([{ from: 1 }]);
  });
});
