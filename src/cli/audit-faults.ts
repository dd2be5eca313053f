import { userInfo } from "node:os";
import type { Actor } from "../runtime/audit/audited-action.js";
import type { Tenon } from "../runtime/tenon.js";
import type { Terminal } from "./command-line.js";
import { toVisibleLine } from "../text/visible-text.js";

/** Report on standard error that calls are not recorded: once, until recording works again. */
export function reportAuditFaults(tenon: Tenon, terminal: Terminal): void {
  tenon.on("AUDIT_FAULT", ({ message }) =>
    terminal.stderr.write(
      `tenon: ${toVisibleLine(message.replace(/\.$/, ""))}. Read-only calls continue without a record; calls that may change something are refused. ` +
        "Free disk space, make the state directory writable, or set TENON_STATE_DIR to another one.\n",
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
