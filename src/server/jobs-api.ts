import type { PluginInfo } from "../contract/plugin.js";
import type { ServerView } from "../mcp/gateway/gateway-types.js";
import type { ConnectionRow } from "../world/forwarder/network-activity.js";
import type { OwnedJob } from "../world/processes/all-jobs.js";
import type { OutputPart } from "../world/processes/recent-output.js";

/* What the server says about jobs, MCP servers and the network; part of `api.ts`. */

/**
 * `GET /api/jobs`: the background jobs of all sessions. `GET /api/jobs/:session/:job/output?since=N`: a `JobOutputView`.
 * `POST …/input` with `{ text, end? }` types into one; `POST …/stop` stops it.
 */
export type JobView = OwnedJob;
/** Output of a job; ask again with `next` as `since`. */
export type JobOutputView = OutputPart;

/** `GET /api/connections`: what commands, MCP servers and plugins reach over the network, newest first. */
export type ConnectionView = ConnectionRow;

/** `GET /api/plugins`: the plugins, with what they may use in the sandbox and what was refused to them there. */
export type PluginView = PluginInfo;

/** `GET /api/mcp-servers`; `POST /api/mcp-servers/:name/accept` with `{ tools?: string[] }`; `POST …/restart`, `POST …/stop`. */
export interface McpServerView extends ServerView {
  /** Whether it is in the user's configuration, so that `DELETE /api/mcp-servers/:name` can remove it. */
  readonly removable: boolean;
  /** The file that it is configured in; absent where that is not known. */
  readonly file?: string | undefined;
}
