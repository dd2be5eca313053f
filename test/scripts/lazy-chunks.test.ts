import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { lazyChunks } from "../../scripts/lazy-chunks.mjs";

const rendered = (code: string): string => lazyChunks.renderChunk(code)?.code ?? code;

describe("a chunk of the build", () => {
  it("loads another one, and what a start of Node.js has not loaded, when it is first used", () => {
    const loaded: string[] = [];
    const exports = run(
      `const require_other = require("./other.cjs");
let node_http = require("node:http");
let node_fs = require("node:fs");
exports.name = () => require_other.name;
exports.make = () => new require_other.Thing(1).value;
exports.agent = () => (0, node_http.Agent)();`,
      loaded,
    );
    expect(loaded).toEqual(["node:fs"]);
    expect(exports.name?.()).toBe("other");
    expect(exports.make?.()).toBe(1);
    expect(loaded, "once").toEqual(["node:fs", "./other.cjs"]);
  });

  it("passes on a name of another one without loading it", () => {
    const loaded: string[] = [];
    const exports = run(
      'const require_other = require("./other.cjs");\nexports.renamed = require_other.name;',
      loaded,
    );
    expect(loaded).toEqual([]);
    expect(exports.renamed).toBe("other");
  });

  it("leaves members and keys of the same name, and what is converted at once", () => {
    const code = `let node_path = require("node:http");
node_path = toESM(node_path, 1);
const require_a = require("./a.cjs");
const object = { require_a: 1, b: object.require_a };`;
    expect(rendered(code)).toContain('let node_path = require("node:http");');
    expect(rendered(code)).toContain("{ require_a: 1, b: object.require_a }");
    expect(rendered(code).split("\n"), "lines stay where they are").toHaveLength(code.split("\n").length);
  });

  it("is left alone where it needs nothing", () => {
    expect(lazyChunks.renderChunk("exports.a = 1;")).toBeUndefined();
  });
});

/** Run a rendered chunk, with one other chunk beside it. */
function run(code: string, loaded: string[]): Record<string, (() => unknown) | undefined> {
  const other = {
    name: "other",
    Thing: class {
      readonly value: number;
      constructor(value: number) {
        this.value = value;
      }
    },
  };
  const require = (name: string): unknown => {
    loaded.push(name);
    return name === "./other.cjs" ? other : {};
  };
  const exports = {};
  runInNewContext(rendered(code), { require, exports });
  return exports;
}
