import type { SeenFiles } from "../contract/ports/seen.js";
import type { Call } from "./call.js";

/** The session's own memory of files, with what this call shows of them noted down. */
export function watchSeen(call: Call): SeenFiles {
  const { seen } = call.session;
  const forgo = (): void => {
    call.sightings = undefined; // who does more than look cannot be answered for
  };
  return {
    load: (path) => seen.load(path),
    get: (path) => seen.get(path),
    note(path, sighting) {
      call.sightings?.push({ path, sighting });
      seen.note(path, sighting);
    },
    set(path, file) {
      forgo();
      seen.set(path, file);
    },
    forget(path) {
      forgo();
      seen.forget(path);
    },
    move(from, to) {
      forgo();
      seen.move(from, to);
    },
  };
}
