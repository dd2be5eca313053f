import { describe, expect, it } from "vitest";
import * as z from "zod";
import { collect, open, until } from "./spine-fixture.js";

/** A tool in the manner of a class, with private state and methods in place of annotations. */
class Counter {
  readonly name = "counter";
  readonly description = "Counts, step by step.";
  readonly inputSchema = z.object({ to: z.number().int().min(0) });
  enabled = true;
  #calls = 0;
  running = 0;
  peak = 0;

  isEnabled() {
    return this.enabled;
  }
  isReadOnly() {
    return true;
  }
  isConcurrencySafe() {
    return false;
  }
  checkPermissions({ to }: { to: number }) {
    return to > 100 ? { behavior: "deny", message: "too far" } : { behavior: "allow" };
  }
  async *call({ to }: { to: number }) {
    this.#calls++;
    this.peak = Math.max(this.peak, ++this.running);
    for (let step = 1; step <= to; step++) {
      yield { type: "progress", progress: step, total: to };
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.running--;
    yield { type: "result", data: { counted: to, calls: this.#calls } };
  }
}

describe("a tool that is a class", () => {
  it("runs, keeps its private state, reports and answers", async () => {
    const counter = new Counter();
    const tenon = open({ tools: [counter] });
    const items = await collect(tenon.stream({ name: "counter", arguments: { to: 3 } }));
    expect(items.filter(({ type }) => type === "TOOL_CALL_PROGRESS")).toHaveLength(3);
    expect(items.at(-1)).toMatchObject({ envelope: { success: true, result: { counted: 3, calls: 1 } } });
    expect(await tenon.call({ name: "counter", arguments: { to: 1 } })).toSucceedWith({
      counted: 1,
      calls: 2,
    });
  });

  it("is validated, judged and switched off like any other", async () => {
    const counter = new Counter();
    const tenon = open({ tools: [counter] });
    expect(await tenon.call({ name: "counter", arguments: { to: "3" } })).toFailWith("ARGUMENTS_INVALID");
    expect((await tenon.call({ name: "counter", arguments: { to: 101 } })).error?.message).toContain(
      "too far",
    );
    counter.enabled = false;
    expect(await tenon.call({ name: "counter", arguments: { to: 1 } })).toFailWith("TOOL_DISABLED");
    counter.enabled = true;
    expect(await tenon.call({ name: "counter", arguments: { to: 1 } })).toSucceed();
  });

  it("that is not safe to run twice at once runs one call after the other", async () => {
    const counter = new Counter();
    const tenon = open({ tools: [counter] });
    await tenon.callMany(Array.from({ length: 5 }, () => ({ name: "counter", arguments: { to: 3 } })));
    expect(counter.peak).toBe(1);
  });

  it("is ended by cancellation", async () => {
    const counter = new Counter();
    const tenon = open({ tools: [counter] });
    for await (const item of tenon.stream({ name: "counter", arguments: { to: 100 } })) {
      if (item.type === "TOOL_CALL_PROGRESS") break;
    }
    await until(() => tenon.stats().running === 0);
    expect(tenon.registry.state("counter")).toBe("Ready");
  });

  it("may execute instead, with parameters as a list, and is dangerous where it says so", async () => {
    class Wiper {
      name = "wiper";
      description = "Wipes.";
      category = "custom";
      dangerous = true;
      parameters = [{ name: "what", type: "string", required: true }];
      #wiped: string[] = [];
      execute({ what }: { what: string }) {
        this.#wiped.push(what);
        return this.#wiped;
      }
    }
    const alone = open({ tools: [new Wiper() as never] });
    expect(await alone.call({ name: "wiper", arguments: { what: "a" } })).toFailWith("APPROVAL_UNAVAILABLE");
    const tenon = open({ tools: [new Wiper() as never], interact: { approve: () => true } });
    expect(await tenon.call({ name: "wiper", arguments: { what: "a" } })).toSucceedWith(["a"]);
    expect((await tenon.call({ name: "wiper", arguments: {} })).error?.message).toContain('"what"');
  });
});
