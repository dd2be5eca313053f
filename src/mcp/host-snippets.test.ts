import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { hostIds, hostSnippet, hostSnippets } from "./host-snippets.js";

const program = { command: "tenon", args: ["mcp", "--workspace", '/home/me/it\'s a "project"'] };

test("the text of every snippet parses to its values, whatever the names contain", () => {
  const address = { url: "https://tenon.example.org/mcp/a.b" };
  for (const connection of [program, { ...program, env: { "A.B": 'x"\\y' } }, address]) {
    for (const { host, format, text, values } of hostSnippets({ name: "tenon-a.b", connection })) {
      const parsed: unknown = format === "toml" ? parse(text) : JSON.parse(text);
      expect(parsed, host).toEqual(values);
    }
  }
});

test("no snippet for an address contains a token, and each says how the token gets there", () => {
  const connection = { url: "http://127.0.0.1:7420/mcp/review", tokenVariable: "REVIEW_TOKEN" };
  for (const { host, text, note } of hostSnippets({ name: "review", connection })) {
    expect(text, host).toMatch(/REVIEW_TOKEN|\$\{input:review-token\}|YOUR_TOKEN/);
    expect(text, host).toContain(connection.url);
    expect(note, host).toMatch(/token/);
  }
});

test("commands of hosts quote what a shell would split", () => {
  const { command } = hostSnippet("claude-code", { name: "tenon", connection: program });
  expect(command).toBe(`claude mcp add tenon -- tenon mcp --workspace '/home/me/it'\\''s a "project"'`);
});

test("the bridge of Claude Desktop is told to speak unencrypted HTTP only where it must", () => {
  const argsOf = (url: string) =>
    hostSnippet("claude-desktop", { name: "t", connection: { url } }).text.includes("--allow-http");
  expect(argsOf("http://127.0.0.1:7420/mcp")).toBe(false);
  expect(argsOf("https://tenon.example.org/mcp")).toBe(false);
  expect(argsOf("http://tenon.example.org/mcp")).toBe(true);
});

test("every host has a file for each system", () => {
  for (const host of hostIds)
    for (const platform of ["darwin", "win32", "linux"] as const)
      expect(hostSnippet(host, { name: "t", connection: program, platform }).file).not.toBe("");
});
