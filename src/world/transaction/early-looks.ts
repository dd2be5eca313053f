import type { CommandLayer, ExpectLayer } from "../sandbox/layer/layer-types.js";
import { createSeenContents, type SeenContents } from "./seen-contents.js";

/** Reads the files that commands changed while their sandboxes end. */
export interface EarlyLooks {
  /** A command was started. */
  readonly begin: ExpectLayer;
  /** Its sandbox has ended; returns what was read by then. */
  end(layer: CommandLayer): SeenContents | undefined;
}

export function createEarlyLooks(): EarlyLooks {
  const looks = new WeakMap<CommandLayer, EarlyLook>();
  return {
    begin(layer, runBeside) {
      const look: EarlyLook = { seen: createSeenContents(), isOver: false, runBeside };
      looks.set(layer, look);
      void import("./look-early.js").then(({ lookEarly }) => lookEarly(layer, look));
    },
    end(layer) {
      const look = looks.get(layer);
      if (look !== undefined) look.isOver = true;
      return look?.seen;
    },
  };
}

export interface EarlyLook {
  readonly seen: SeenContents;
  readonly runBeside: Parameters<ExpectLayer>[1];
  isOver: boolean;
}
