import { describe, expect, it } from "vitest";
import { createRateLimit } from "./rate-limit.js";
import { defaultStartMs } from "./start-time.js";

const limitOf = (...words: string[]): number => {
  const [command = "", ...args] = words;
  return defaultStartMs({ kind: "program", command, args, env: {} });
};

describe("the time that a server has to start", () => {
  it.each([
    ["npx", "-y", "@scope/server"],
    ["/usr/local/bin/npx", "server"],
    ["C:\\nodejs\\npx.cmd", "server"],
    ["cmd", "/c", "npx", "-y", "server"],
    ["sh", "-c", "npx -y server"],
    ["env", "A=b", "uvx", "mcp-server-fetch"],
    ["npm", "exec", "--yes", "server"],
    ["docker", "run", "-i", "image"],
    ["docker", "compose", "run", "server"],
    ["podman", "run", "image"],
    ["deno", "run", "-A", "jsr:server"],
    ["pnpx", "server"],
    ["pnpm", "dlx", "server"],
    ["pnpm", "exec", "server"],
    ["yarn", "dlx", "server"],
    ["bunx", "server"],
    ["bun", "x", "server"],
    ["npm.ps1", "x", "server"],
    ["uv.exe", "tool", "run", "server"],
    ["uv", "run", "server.py"],
    ["pipx", "run", "server"],
    ["bash", "-c", "npx server"],
    ["zsh", "-lc", " npx server"],
  ])("is long for what may be downloaded first: %s", (...words) => {
    expect(limitOf(...words)).toBe(600_000);
  });

  it.each([
    ["node", "npx"],
    ["npm", "start"],
    ["sh", "-c", "node server.js npx"],
    ["python", "-m", "server"],
    ["npm", "--yes"],
    ["docker", "exec", "-i", "container", "server"],
    ["sh", "-c"],
    ["sh", "npx.sh"],
    [""],
  ])("is short for others: %s", (...words) => {
    expect(limitOf(...words)).toBe(30_000);
  });
});

describe("the rate of calls of a server", () => {
  it("is limited in any minute, and the refusal says when to call again", () => {
    let now = 0;
    const rate = createRateLimit("s", 2, () => now);
    rate.count();
    now = 30_000;
    rate.count();
    expect(() => rate.count()).toThrow(
      expect.objectContaining({ code: "QUOTA_SPENT", details: { server: "s", retryAfterMs: 30_000 } }),
    );
    now = 60_000;
    rate.count();
    expect(() => rate.count()).toThrow(/at most 2 calls a minute/);
  });
});
