import { attempt } from "../../contract/errno.js";

/** The JSON of a message; `undefined` where it is none, as of somebody who does not belong to the fleet. */
export function readJson(message: { readonly data: Uint8Array }): unknown {
  return attempt(() => JSON.parse(new TextDecoder().decode(message.data)) as unknown);
}
