import { describe, expect, it } from "vitest";
import { parseJsonText, setInJsonText } from "./edit-json.js";

const added = (text: string, path = ["servers", "tenon"]): string | undefined =>
  setInJsonText(parseJsonText(text), path, { command: "t" });

describe("an entry that is put into JSON", () => {
  it("leaves comments, order and indentation as they are", () => {
    const text = '{\n\t// mine\n\t"a": [1,2],\n\t"servers": {\n\t\t"x": {} // last\n\t\t/* end */\n\t}\n}\n';
    expect(added(text)).toBe(
      '{\n\t// mine\n\t"a": [1,2],\n\t"servers": {\n\t\t"x": {}, // last\n\t\t"tenon": {\n\t\t\t"command": "t"\n\t\t}\n\t\t/* end */\n\t}\n}\n',
    );
  });

  it.each([
    ["", '{\n  "servers": {\n    "tenon": {\n      "command": "t"\n    }\n  }\n}\n'],
    ["{ // c\n}", '{ // c\n  "servers": {\n    "tenon": {\n      "command": "t"\n    }\n  }\n}'],
    ['{"servers":{}}', '{"servers":{\n  "tenon": {\n    "command": "t"\n  }\n}}'],
    [
      '{\r\n  "servers": {},\r\n}',
      '{\r\n  "servers": {\r\n    "tenon": {\r\n      "command": "t"\r\n    }\r\n  },\r\n}',
    ],
    ['\uFEFF{"servers":{"tenon":"{//"}}', '\uFEFF{"servers":{"tenon":{\n  "command": "t"\n}}}'],
  ])("stands in its place in %j", (text, expected) => {
    expect(added(text)).toBe(expected);
    expect(parseJsonText(expected).value).toMatchObject({ servers: { tenon: { command: "t" } } });
  });

  it("is not forced into what is not an object", () => {
    expect(added('{"servers": []}')).toBeUndefined();
    expect(() => parseJsonText('{"a": 1')).toThrow("Unexpected end");
    expect(() => parseJsonText('{"a": 1 /* }')).toThrow("Unexpected");
  });
});
