import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { guardLookup, type HttpLookup } from "./guard-lookup.js";
import { compileHosts } from "./host-rules.js";
import { answers } from "./testing/servers.js";

const rules = { hosts: compileHosts([]), allowPrivate: false };
const target = { host: "name.test", port: 80 };

function ask(lookup: HttpLookup, all = true): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) => {
    guardLookup(target, rules, lookup)("name.test", { all }, (error, found) => {
      if (error === null) resolve(found);
      else reject(error);
    });
  });
}

const names = (...sets: string[][]) => answers({ "name.test": sets });

describe("guardLookup", () => {
  it("passes public addresses on, in their order", async () => {
    await expect(ask(names(["93.184.216.34", "2606:4700:4700::1111"]))).resolves.toEqual([
      { address: "93.184.216.34", family: 4 },
      { address: "2606:4700:4700::1111", family: 6 },
    ]);
    await expect(ask(names(["93.184.216.34", "1.1.1.1"]), false)).resolves.toBe("93.184.216.34");
  });

  it("leaves out the addresses that may not be reached", async () => {
    const mixed = names([
      "127.0.0.1",
      "93.184.216.34",
      "::1",
      "::ffff:10.0.0.1",
      "169.254.169.254",
      "fe80::1%eth0",
    ]);
    await expect(ask(mixed)).resolves.toEqual([{ address: "93.184.216.34", family: 4 }]);
    await expect(ask(mixed, false)).resolves.toBe("93.184.216.34");
  });

  it("refuses where none is left, each time again", async () => {
    const rebinding = names(
      ["93.184.216.34"],
      ["127.0.0.1"],
      ["::ffff:7f00:1", "0.0.0.0"],
      ["93.184.216.34"],
    );
    await expect(ask(rebinding)).resolves.toHaveLength(1);
    await expect(ask(rebinding)).rejects.toMatchObject({ code: "NETWORK_REFUSED" });
    await expect(ask(rebinding)).rejects.toMatchObject({ code: "NETWORK_REFUSED" });
    await expect(ask(rebinding)).resolves.toHaveLength(1);
  });

  it("passes errors on, and takes no answer for an error", async () => {
    await expect(ask(answers({}))).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(ask(names([]))).rejects.toMatchObject({ code: "ENOTFOUND" });
  });
});
