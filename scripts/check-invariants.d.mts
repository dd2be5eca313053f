import type { Tenon } from "../src/index.js";

/** What a fault driver knows of a run; the members are described in `check-invariants.mjs`. */
export interface FaultRun {
  readonly acknowledged?: readonly {
    readonly callId: string;
    readonly success?: boolean;
    readonly file?: { readonly path: string; readonly sha256?: string; readonly absent?: boolean };
    readonly memory?: string;
  }[];
  readonly effects?: readonly string[];
  readonly order?: readonly (readonly string[])[];
}

export function checkInvariants(tenon: Tenon, run?: FaultRun): Promise<string[]>;
