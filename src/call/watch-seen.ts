import type { SeenFiles } from "../contract/ports/seen.js";
import type { CallState } from "./call-state.js";

/** The session's record of seen files; what this call shows of them is noted for the cache. */
export function watchSeen(call: CallState): SeenFiles {
  const { seen } = call.session;
  const forgetSightings = (): void => {
    call.sightings = undefined; // only calls that just read files can be cached
  };
  return {
    load: (path) => seen.load(path),
    get: (path) => seen.get(path),
    note(path, sighting) {
      call.sightings?.push({ path, sighting });
      seen.note(path, sighting);
    },
    set(path, file) {
      forgetSightings();
      seen.set(path, file);
    },
    forget(path) {
      forgetSightings();
      seen.forget(path);
    },
    move(from, to) {
      forgetSightings();
      seen.move(from, to);
    },
  };
}
