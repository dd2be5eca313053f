import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { CommonResponse, commonHeaders } from "./common-response.js";

describe("the headers of an answer", () => {
  let stop = (): void => {};
  afterEach(() => stop());

  const headersOf = async (answer: (response: ServerResponse) => void): Promise<Headers> => {
    const server = createServer({ ServerResponse: CommonResponse }, (_, response) => answer(response));
    stop = () => void server.close();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await response.text();
    return response.headers;
  };

  const ways: Readonly<Record<string, (response: ServerResponse) => void>> = {
    "as a list": (response) => response.writeHead(200, ["x-own", "1", "cache-control", "no-cache"]).end("a"),
    "as an object": (response) =>
      response.writeHead(200, { "X-Own": "1", "Cache-Control": "no-cache" }).end(),
    "after a reason": (response) =>
      response.writeHead(200, "Fine", { "x-own": "1", "cache-control": "no-cache" }).end(),
    "set before": (response) => {
      response.setHeader("cache-control", "no-cache");
      response.writeHead(200, ["x-own", "1"]).end();
    },
    "set, and none given": (response) => {
      response.setHeader("X-Own", "1");
      response.setHeader("Cache-Control", "no-cache");
      response.end("never written by name");
    },
  };
  for (const [way, answer] of Object.entries(ways))
    it(`are the common ones and its own, which count: ${way}`, async () => {
      const headers = await headersOf(answer);
      expect(Object.fromEntries(headers)).toMatchObject({
        ...commonHeaders,
        "x-own": "1",
        "cache-control": "no-cache",
      });
    });

  it("are the common ones where it has none", async () => {
    const headers = await headersOf((response) => response.end());
    expect(Object.fromEntries(headers)).toMatchObject(commonHeaders);
  });
});
