import { expect, it, vi } from "vitest";
import { openTestServer } from "./testing/open-server.js";

it("reads two large records that are compared once each, however many pieces of both are asked for", async () => {
  const served = await openTestServer();
  try {
    const call = async (text: string): Promise<string> => {
      const { body } = await served.post("/api/tools/base64_encode/call", {
        arguments: { text: text.repeat(100_000) },
      });
      return (body as { callId: string }).callId;
    };
    const ids = [await call("a"), await call("b")];
    const get = vi.spyOn(served.tenon.audit, "get");
    for (const path of ["shown", "part?pointer=/encoded", "part?pointer=/encoded&from=1000"])
      for (const id of ids) expect((await served.ask(`/api/log/${id}/${path}`)).status).toBe(200);
    expect(get.mock.calls.map(([id]) => id)).toEqual(ids);
  } finally {
    await served.close();
  }
});
