import { describe, expect, it } from "vitest";
import type { ApprovalChannel, InteractBackend } from "../contract/ports/interact.js";
import type { CallSession } from "../contract/session.js";
import { consentChannels } from "./consent-channels.js";

const backend = (channel?: ApprovalChannel, more: object = {}) =>
  ({ name: "own", available: () => true, ...(channel && { channel }), ...more }) as InteractBackend;
const clientInfo = { name: "host", version: "1" };
const channels = (
  session: Partial<CallSession>,
  { own, configured }: { own?: InteractBackend; configured?: readonly ApprovalChannel[] } = {},
) => consentChannels({ clientInfo, ...session } as CallSession, { backend: own, configured });

describe("the channels that a call can be consented to on", () => {
  it("are the session's own, then the process's, in the order of the configuration", () => {
    const [host, terminal] = [backend("host"), backend("terminal")];
    const both = channels({ interact: host }, { own: terminal, configured: ["terminal", "console", "host"] });
    expect(both.open).toEqual(["terminal", "console", "host"]);
    expect(both.asked).toStrictEqual([
      { channel: "terminal", backend: terminal, by: {} },
      { channel: "host", backend: host, by: { client: clientInfo } },
    ]);
  });

  it("leave out a back end that is reached through the desk, is not there, or is not configured", () => {
    for (const own of [
      backend("console", { reach: () => Promise.resolve(true) }),
      backend("terminal", { available: () => false }),
      backend("terminal", {
        available: () => {
          throw new Error("no");
        },
      }),
    ])
      expect(channels({}, { own })).toEqual({ open: ["console", "api"], asked: [] });
    expect(channels({}, { own: backend("terminal"), configured: ["api"] })).toEqual({
      open: ["api"],
      asked: [],
    });
  });

  it("take a back end without a channel for a callback", () => {
    expect(channels({}, { own: backend() }).asked).toMatchObject([{ channel: "callback", by: {} }]);
  });

  it("that a session closes are opened again only by the configuration, and never for a user's own program", () => {
    const session = { interact: backend("host"), closedChannels: ["host", "api"] } as const;
    expect(channels(session).open).toEqual(["console"]);
    expect(channels(session, { configured: ["host", "api"] }).open).toEqual(["host", "api"]);
    const owned = { ...session, principal: "user:ann" };
    expect(channels(owned, { configured: ["host", "api", "console"] })).toEqual({
      open: ["console"],
      asked: [],
    });
  });
});
