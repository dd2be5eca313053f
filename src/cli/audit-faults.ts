import { userInfo } from "node:os";
import type { Actor } from "../runtime/audit/audited-action.js";
import type { Tenon } from "../runtime/tenon.js";
import type { Terminal } from "./command-line.js";
import { toVisibleLine } from "../text/visible-text.js";

/** Tell the person on standard error that calls are not recorded: once, until it works again. */
export function tellAuditFaults(tenon: Tenon, terminal: Terminal): void {
  tenon.on("AUDIT_FAULT", ({ message }) =>
    terminal.stderr.write(
      `tenon: ${toVisibleLine(message)}. Read-only calls go on without a record; calls that may change something are refused. ` +
        "Make room on the disk or make the state directory writable, or choose another one with TENON_STATE_DIR.\n",
    ),
  );
}

/** The person at this machine, for records of what they do. */
export function localActor(via: "cli" | "console"): Actor {
  try {
    return { via, userId: userInfo().username };
  } catch {
    return { via }; // a user without a name, as in some containers
  }
}
