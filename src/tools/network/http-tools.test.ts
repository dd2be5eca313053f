import { afterEach, describe, expect, it } from "vitest";
import type { RequestListener } from "node:http";
import { httpGet } from "./http-get.js";
import { httpPost } from "./http-post.js";
import { httpRequest } from "./http-request.js";
import { renderHttp, type HttpResult } from "./http-result.js";
import { standIn, type StandIn } from "./testing/stand-in.js";

const open: StandIn[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function start(listener: RequestListener): Promise<StandIn> {
  const server = await standIn(listener);
  open.push(server);
  return server;
}

/** Answers with what was asked. */
const mirror: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        method,
        url,
        type: headers["content-type"],
        mine: headers["x-mine"],
        body: Buffer.concat(chunks).toString(),
      }),
    );
  });
};

describe("the HTTP tools", () => {
  it("http_get sends a GET with the headers", async () => {
    const server = await start(mirror);
    const result = (await httpGet.execute(
      { url: `${server.url}/a?b=c`, headers: { "X-Mine": "1" } },
      server.context(),
    )) as HttpResult;
    expect(result).toMatchObject({ status: 200, truncated: false, finalUrl: `${server.url}/a?b=c` });
    expect(JSON.parse(result.body)).toEqual({ method: "GET", url: "/a?b=c", mine: "1", body: "" });
    expect(result.encoding).toBeUndefined();
  });

  it.each([
    ['{"a":1}', undefined, "application/json"],
    ["[1]", undefined, "application/json"],
    ["{not json", undefined, "text/plain;charset=utf-8"],
    ["a=b", { "Content-Type": "application/x-www-form-urlencoded" }, "application/x-www-form-urlencoded"],
  ])("http_post sends %j with its type", async (body, headers, type) => {
    const server = await start(mirror);
    const result = (await httpPost.execute(
      { url: server.url, body, headers },
      server.context(),
    )) as HttpResult;
    expect(JSON.parse(result.body)).toMatchObject({ method: "POST", body, type });
  });

  it("http_request sends any method", async () => {
    const server = await start(mirror);
    const sent = (await httpRequest.execute(
      { url: server.url, method: "patch", body: "x" },
      server.context(),
    )) as HttpResult;
    expect(JSON.parse(sent.body)).toMatchObject({ method: "PATCH", body: "x" });
    const plain = (await httpRequest.execute({ url: server.url }, server.context())) as HttpResult;
    expect(JSON.parse(plain.body)).toMatchObject({ method: "GET" });
  });

  it("an answer of failure is an answer", async () => {
    const server = await start((_request, response) => response.writeHead(404).end("gone"));
    expect(await httpGet.execute({ url: server.url }, server.context())).toMatchObject({
      status: 404,
      body: "gone",
    });
  });

  it("a body that is no text comes in Base64 and says so", async () => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]);
    const server = await start((_request, response) =>
      response.setHeader("content-type", "image/png").end(bytes),
    );
    const result = (await httpGet.execute({ url: server.url }, server.context())) as HttpResult;
    expect(result).toMatchObject({ encoding: "base64", body: bytes.toString("base64") });
    expect(renderHttp(result)).toContain("[binary");
  });

  it.each(["nonsense", "//x", "example.com/page"])(
    "%j is no URL: nothing is touched, and the hint says how to write one",
    async (url) => {
      const server = await start(mirror);
      for (const tool of [httpGet, httpPost, httpRequest]) {
        expect(tool.resources?.({ url })).toEqual({});
        expect(await tool.preview?.({ url }, server.context())).toHaveProperty("summary");
        await expect(
          Promise.resolve().then(() => tool.execute({ url }, server.context())),
        ).rejects.toMatchObject({
          name: "ToolValidationError",
          hint: expect.stringContaining("https://"),
        });
      }
    },
  );

  it.each([
    ["https://example.com/x", "example.com"],
    ["http://example.com:80/x", "example.com"],
    ["https://example.com:8443/", "example.com:8443"],
    ["http://user:pw@EXAMPLE.com./", "example.com"],
    ["http://[::1]:81/", "[::1]:81"],
    ["http://2130706433/", "127.0.0.1"],
  ])("%s reaches the host %s", (url, host) => {
    expect(httpGet.resources?.({ url })).toEqual({ reads: [{ host }] });
    expect(httpPost.resources?.({ url })).toEqual({ writes: [{ host }] });
    expect(httpRequest.resources?.({ url, method: "delete" })).toEqual({ writes: [{ host }] });
    expect(httpRequest.resources?.({ url, method: "head" })).toEqual({ reads: [{ host }] });
  });

  it("a preview shows what leaves, but neither credentials nor the values of headers", async () => {
    const server = await start(mirror);
    const shown = await httpPost.preview?.(
      { url: "https://me:secret@example.com/a", headers: { authorization: "Bearer hidden" }, body: "data" },
      server.context(),
    );
    expect(shown).toMatchObject({
      summary: "POST https://example.com/a with 4 bytes",
      address: "https://example.com/a",
    });
    expect(JSON.stringify(shown)).not.toMatch(/secret|hidden/);
  });

  it("the guard stands before every tool", async () => {
    const server = await start(mirror);
    await expect(
      httpGet.execute({ url: "http://169.254.169.254/latest" }, server.context()),
    ).rejects.toMatchObject({ code: "NETWORK_REFUSED" });
  });

  it("the text for a model has status, address, type and body", () => {
    const result = {
      status: 200,
      headers: { "content-type": "text/plain", etag: "x" },
      body: "hi",
      truncated: true,
      finalUrl: "https://a/",
    };
    expect(renderHttp(result)).toBe(
      "HTTP 200 https://a/\ncontent-type: text/plain\n\nhi\n[The body was truncated here: it exceeds the size limit.]",
    );
  });
});
