import {
  approvalChannels,
  type ApprovalAnswerer,
  type ApprovalChannel,
  type InteractBackend,
} from "../contract/ports/interact.js";
import { ownerOf } from "../contract/ownership.js";
import type { CallSession } from "../contract/session.js";

/** A channel of this process that can be asked now. */
export interface AskedChannel {
  readonly channel: ApprovalChannel;
  readonly backend: InteractBackend;
  /** Who answers on it, as far as it is known before. */
  readonly by: Omit<ApprovalAnswerer, "channel">;
}

/** On which channels a call can be consented to, and who of them is asked in this process. */
export interface ConsentChannels {
  /** In the order of the configuration. */
  readonly open: readonly ApprovalChannel[];
  readonly asked: readonly AskedChannel[];
}

export interface ChannelOptions {
  /** `approvals.channels` of the configuration. @default all that the session does not close */
  readonly configured: readonly ApprovalChannel[] | undefined;
  /** How this process reaches its person, besides the session's own way. */
  readonly backend: InteractBackend | undefined;
}

/** A session closes the channels that its caller controls itself; only the user's configuration opens them. */
export function consentChannels(session: CallSession, options: ChannelOptions): ConsentChannels {
  const { configured, backend } = options;
  const closed = session.closedChannels ?? [];
  const isOpen = (channel: ApprovalChannel): boolean => !closed.includes(channel);
  // A user's own program never consents to the user's calls, regardless of the configuration.
  const isOthers = (channel: ApprovalChannel): boolean => isOpen(channel) || ownerOf(session) === undefined;
  const open = configured?.filter(isOthers) ?? approvalChannels.filter(isOpen);
  const asked = [session.interact, backend].flatMap((one): AskedChannel[] => {
    // A console is reached through the desk, in whichever process it runs.
    if (one === undefined || one.reach !== undefined) return [];
    const channel = one.channel ?? "callback";
    if (!open.includes(channel) || !isThere(one)) return [];
    const client = channel === "host" ? session.clientInfo : undefined;
    return [{ channel, backend: one, by: client === undefined ? {} : { client } }];
  });
  asked.sort((one, other) => open.indexOf(one.channel) - open.indexOf(other.channel));
  const offered = open.filter(
    (channel) => channel === "console" || channel === "api" || asked.some((one) => one.channel === channel),
  );
  return { open: offered, asked };
}

/** A back end whose check fails counts as unavailable. */
function isThere(backend: InteractBackend): boolean {
  try {
    const there: unknown = backend.available();
    return there === true;
  } catch {
    return false;
  }
}
