import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MsgHdrs } from "@nats-io/transport-node";
import { headers } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import type { KeyValue } from "../contract/ports/store.js";
import { BatchSigner } from "./front/batch-signer.js";
import { openFrontKey, TrustedFronts, type SignedMessage } from "./keys.js";
import { batchVersion, headerNames, maxBatch } from "./protocol.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const message = (n: number): SignedMessage => ({
  subject: `tenon.a.calls.main.s${n}`,
  payload: bytes(`{"n":${n}}`),
});

async function openTrust(): Promise<{
  readonly key: ReturnType<typeof openFrontKey>;
  readonly fronts: () => TrustedFronts;
  readonly kept: Map<string, unknown>;
}> {
  const kept = new Map<string, unknown>();
  const store = {
    get: async (id: string) => kept.get(id),
    set: async (id: string, value: unknown) => void kept.set(id, value),
  } as unknown as KeyValue;
  const key = openFrontKey(mkdtempSync(join(tmpdir(), "tenon-key-")));
  await new TrustedFronts(store).add(key);
  return { key, fronts: () => new TrustedFronts(store), kept };
}

describe("one signature for several messages", () => {
  it("holds for each of them and for nothing else", async () => {
    const { key, fronts, kept } = await openTrust();
    const all = [message(1), message(2), message(3)];
    const signed = key.sign(...all);
    const trust = fronts();
    for (const each of all) expect(await trust.hasSigned(key.id, signed, each)).toBe(true);
    const [first = message(1), second = message(2)] = all;
    const wrong = [message(4), { ...first, subject: second.subject }, { ...first, payload: second.payload }];
    for (const each of wrong) expect(await trust.hasSigned(key.id, signed, each)).toBe(false);
    // A list that somebody made longer, or a signature of another list.
    const other = key.sign(message(4), message(5));
    const { signature, batch = "" } = signed;
    const added = { signature, batch: `${batch},${other.batch ?? ""}` };
    expect(await trust.hasSigned(key.id, added, message(4))).toBe(false);
    expect(await trust.hasSigned(key.id, { signature, batch: other.batch }, message(4))).toBe(false);
    expect(await trust.hasSigned(key.id, { signature }, first)).toBe(false);
    kept.clear();
    expect(await fronts().hasSigned(key.id, signed, first)).toBe(false);
  });
});

describe("a front", () => {
  const batchOf = (one: MsgHdrs): string => one.get(headerNames.batch);

  it("signs calls of one moment together, in their order, as long as every worker can read that", async () => {
    const { key, fronts } = await openTrust();
    const workers = [{ protocol: batchVersion }];
    const roster = { workers: () => workers as never };
    const signer = new BatchSigner({ bus: { newHeaders: () => headers() }, key, roster });
    const order: number[] = [];
    const send = (count: number): Promise<MsgHdrs[]> =>
      Promise.all(
        Array.from({ length: count }, async (_, n) => {
          const signed = await signer.sign(message(n));
          order.push(n);
          return signed;
        }),
      );
    const together = await send(maxBatch + 2);
    expect(order).toEqual(together.map((_, n) => n));
    expect(new Set(together.map(batchOf)).size).toBe(2);
    const trust = fronts();
    for (const [n, one] of together.entries()) {
      const given = { signature: one.get(headerNames.signature), batch: batchOf(one) };
      expect(await trust.hasSigned(key.id, given, message(n))).toBe(true);
    }
    expect((await send(1)).map(batchOf)).toEqual([""]);
    workers.push({ protocol: batchVersion - 1 });
    const apart = await send(2);
    expect(apart.map(batchOf)).toEqual(["", ""]);
    for (const [n, one] of apart.entries())
      expect(await trust.hasSigned(key.id, { signature: one.get(headerNames.signature) }, message(n))).toBe(
        true,
      );
  });
});
