import { messageOf } from "../../contract/message-of.js";
import type { OpenProgram } from "../../contract/ports/upstream.js";
import { ProgramTransport } from "./program-transport.js";

/** Start a program that sends and answers JSON-RPC requests on its standard streams, without the SDK. */
export const openProgram: OpenProgram = async (
  spec,
  { onMessage, onLost, onLog, maxMessageBytes, confine },
) => {
  let closed = false;
  const transport = new ProgramTransport(spec, {
    maxMessageBytes,
    confine,
    sendsRequests: true,
    onFault: (message) => onLog?.(message),
    onLog: (line) => onLog?.(line),
  });
  Object.assign(transport, { onmessage: onMessage });
  try {
    await transport.start();
  } catch (error) {
    throw new Error(transport.ended ?? messageOf(error), { cause: error });
  }
  Object.assign(transport, {
    onclose: () => {
      if (!closed) onLost(transport.ended ?? "the connection was closed");
    },
  });
  return {
    pid: transport.pid ?? undefined,
    send: (text) => transport.sendText(text),
    close: () => {
      closed = true;
      return transport.close();
    },
  };
};
