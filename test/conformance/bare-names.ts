import type { HostPrompts, HostSession, McpHost } from "../../src/contract/host.js";

/** Show only one server behind the gateway, under its own names: the conformance suite knows no others. */
export function withBareNames(host: McpHost, server: string): McpHost {
  const prefix = `${server}__`;
  const own = <T extends { readonly name: string }>(items: readonly T[]): readonly T[] =>
    items.flatMap((item) =>
      item.name.startsWith(prefix) ? [{ ...item, name: item.name.slice(prefix.length) }] : [],
    );
  const bare = (prompts: HostPrompts): HostPrompts => ({
    list: async (signal) => own(await prompts.list(signal)),
    get: (name, args, signal) => prompts.get(`${prefix}${name}`, args, signal),
    complete: (asked, signal) => prompts.complete({ ...asked, of: `${prefix}${asked.of}` }, signal),
  });
  return {
    ...host,
    openSession(options): HostSession {
      const session = host.openSession(options);
      return {
        id: session.id,
        agent: session.agent,
        tools: async () => own(await session.tools()),
        newCallId: () => session.newCallId(),
        call: (call) => session.call({ ...call, name: `${prefix}${call.name}` }),
        resources: (asking) => session.resources(asking),
        prompts: (asking) => bare(session.prompts(asking)),
        rootsChanged: () => session.rootsChanged(),
        callerGone: (callId) => session.callerGone(callId),
        close: () => session.close(),
      };
    },
  };
}
