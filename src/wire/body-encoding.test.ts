import { describe, expect, it } from "vitest";
import { faultOfEncoding } from "./body-encoding.js";

describe("how a JSON body is written", () => {
  it.each([
    {},
    { "content-encoding": "identity" },
    { "content-encoding": "" },
    { "content-type": "application/json" },
    { "content-type": "application/json; charset=utf-8" },
    { "content-type": 'application/json;CHARSET="UTF-8"' },
    { "content-type": "application/json; charset = utf8; profile=x" },
  ])("may be plain UTF-8: %o", (headers) => {
    expect(faultOfEncoding(headers)).toBeUndefined();
  });

  it.each([
    [{ "content-encoding": "gzip" }, 'Content-Encoding "gzip" is not supported. Send the body as it is.'],
    [{ "content-encoding": "identity, br" }, 'Content-Encoding "identity, br" is not supported.'],
    [
      { "content-type": "application/json; charset=iso-8859-1" },
      'The character set "iso-8859-1" is not supported.',
    ],
    [{ "content-type": 'application/json;charset="utf-16"' }, "Send the body in UTF-8."],
    [{ "content-type": "application/json; charset=" }, 'The character set "" is not supported.'],
  ])("may be nothing else: %o", (headers, message) => {
    expect(faultOfEncoding(headers)).toContain(message);
  });
});
