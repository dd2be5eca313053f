// Somebody on the bus with a tenant's own password: hears what its members say, and can say anything.
export async function openSpy({ nats, login, tenant }) {
  const [{ connect }, { jetstream, jetstreamManager }, { Kvm }] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
    import("@nats-io/kv"),
  ]);
  const [user, pass] = login.slice(0, -1).split(":");
  const connection = await connect({
    servers: `nats://127.0.0.1:${nats.port}`,
    user,
    pass,
    inboxPrefix: `_INBOX_${tenant}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
  });
  const client = jetstream(connection, { timeout: 2000 });
  /** @type {{ subject: string, data: Uint8Array, headers: import("@nats-io/transport-node").MsgHdrs }[]} */
  const heard = [];
  /** Subjects of other tenants: there must be none. */
  const foreign = [];
  const fronts = new Set();
  const root = `tenon.${tenant}`;
  connection.subscribe(">", {
    callback: (_error, { subject, data, headers }) => {
      const [head, of, what, name] = subject.split(".");
      if (head === "tenon" && of !== tenant) foreign.push(subject);
      if (what === "front") fronts.add(name);
      if (what !== "calls" || headers === undefined || data.length > 100_000) return;
      heard.push({ subject, data: data.slice(), headers });
      if (heard.length > 200) heard.shift();
    },
  });
  return {
    root,
    calls: `TENON_${tenant}_CALLS`,
    connection,
    heard,
    foreign,
    fronts: () => [...fronts],
    jetstream: client,
    manager: await jetstreamManager(connection, { checkAPI: false }),
    get members() {
      return {
        put: async (key, text) => (await bucket()).put(key, text),
        delete: async (key) => (await bucket()).delete(key),
      };
    },
    close: () => connection.close(),
  };

  function bucket() {
    return new Kvm(client).open(`tenon_${tenant}_members`);
  }
}
