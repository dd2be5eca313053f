import { lookup as systemLookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { judgeAddress, type HttpTarget, type TargetRules } from "./judge-target.js";

/** The shape of `dns.lookup` where it is asked for all addresses of a name. */
export type HttpLookup = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** A lookup whose every answer is judged; only addresses that may be reached come out of it. */
export function guardLookup(target: HttpTarget, rules: TargetRules, lookup?: HttpLookup): LookupFunction {
  return (hostname, options, callback) => {
    (lookup ?? systemLookup)(hostname, { all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "", 0);
      const { allowed, refusal } = filterAddresses(addresses, target, rules);
      const [first] = allowed;
      if (first === undefined) return callback(refusal ?? addressNotFound(), "", 0);
      if (options.all === true) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}

interface FilteredAddresses {
  readonly allowed: LookupAddress[];
  readonly refusal?: Error;
}

function filterAddresses(
  addresses: readonly LookupAddress[],
  target: HttpTarget,
  rules: TargetRules,
): FilteredAddresses {
  const allowed: LookupAddress[] = [];
  let refusal: Error | undefined;
  for (const answer of addresses) {
    try {
      judgeAddress(answer.address, target, rules);
      allowed.push(answer);
    } catch (error) {
      refusal ??= error as Error;
    }
  }
  return refusal === undefined ? { allowed } : { allowed, refusal };
}

function addressNotFound(): Error {
  return Object.assign(new Error("the name has no address"), { code: "ENOTFOUND" });
}
