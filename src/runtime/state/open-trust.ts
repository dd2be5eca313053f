import { defaultStateDir } from "../../config/folders.js";
import type { TrustStore } from "../../contract/ports/state.js";
import { openTrust } from "../../store/trust.js";

/** The trusted workspaces; independent of any configuration, because trust decides which one applies. */
export function openTrustStore(places: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}): TrustStore {
  return openTrust(places.env["TENON_STATE_DIR"] || defaultStateDir(places.env, places.home));
}
