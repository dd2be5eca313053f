import { expect, it } from "vitest";
import { FeedRing } from "./feed-ring.js";

const fill = (ring: FeedRing, count: number): void => {
  for (let at = 0; at < count; at++) ring.push((id) => `${id};`);
};

it("numbers its frames from the one after its start, and drops the oldest", () => {
  const ring = new FeedRing(10, { frames: 3 });
  expect([ring.first, ring.last]).toEqual([11, 10]);
  fill(ring, 5);
  expect([ring.first, ring.last]).toEqual([13, 15]);
});

it("says after which frame a reader can go on without missing one", () => {
  const ring = new FeedRing(10, { frames: 3 });
  fill(ring, 5);
  const reached = [11, 12, 13, 15, 16, 12.5, Number.NaN].filter((id) => ring.reaches(id));
  expect(reached).toEqual([12, 13, 15]);
});

it("keeps the newest frame however long it is", () => {
  const ring = new FeedRing(0, { chars: 4 });
  fill(ring, 3);
  expect([ring.first, ring.last]).toEqual([2, 3]);
  ring.push(() => "x".repeat(100));
  expect([ring.first, ring.last]).toEqual([4, 4]);
});

it("tells each frame its number, and reads from any of them, as far as characters allow", () => {
  const ring = new FeedRing(10, { frames: 4 });
  fill(ring, 6);
  expect(ring.read(13, 100)).toEqual({ text: "13;14;15;16;", next: 17 });
  expect(ring.read(15, 100)).toEqual({ text: "15;16;", next: 17 });
  expect(ring.read(13, 4)).toEqual({ text: "13;14;", next: 15 });
  expect(ring.read(17, 100)).toEqual({ text: "", next: 17 });
  ring.skip();
  expect([ring.first, ring.last]).toEqual([18, 17]);
  fill(ring, 1);
  expect(ring.read(18, 100)).toEqual({ text: "18;", next: 19 });
});
