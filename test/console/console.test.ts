import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe } from "vitest";
import { accessSuite } from "./access-suite.js";
import { answerSuite } from "./answer-suite.js";
import { breakSuite } from "./break-suite.js";
import { callSuite } from "./call-suite.js";
import { closeStage, openStage, type Stage } from "./console-fixture.js";
import { entrySuite } from "./entry-suite.js";
import { queueSuite } from "./queue-suite.js";
import { safetySuite } from "./safety-suite.js";

let opened: Stage;

beforeAll(async () => {
  const tiny = fileURLToPath(new URL("tiny-mcp-server.mjs", import.meta.url));
  opened = await openStage(
    { mode: "ask", mcpServers: { tiny: { command: process.execPath, args: [tiny] } } },
    { "notes.md": "# Notes\n\nfirst\n" },
  );
});
afterAll(() => closeStage(opened));

const stage = () => opened;

describe("the console shows and steers calls", () => {
  callSuite(stage);
});
describe("the console carries the answers of a person", () => {
  answerSuite(stage);
});
describe("the console has a queue of what waits", () => {
  queueSuite(stage);
});
describe("the console outlives a broken connection", () => {
  breakSuite(stage);
});
describe("the console lets a browser in", () => {
  entrySuite(stage);
});
describe("the console is safe", () => {
  safetySuite(stage);
});
describe("the console can be read by everybody", () => {
  accessSuite(stage);
});
