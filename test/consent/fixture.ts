import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { AuditRecord } from "../../src/contract/ports/audit.js";
import type { ApprovalBody, PendingApproval } from "../../src/server/api.js";

const bin = resolve(import.meta.dirname, "../../bin/tenon.cjs");

export interface Served {
  readonly url: string;
  readonly token: string;
  readonly mcpToken: string;
  readonly child: ChildProcess;
}

export interface ApiReply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of all shapes
  readonly body: any;
}

export interface ConsentFixture {
  readonly dir: string;
  readonly env: Record<string, string>;
  /** A real `tenon serve` on the workspace. */
  serve(config?: object): Promise<Served>;
  /** Any other real Tenon process. */
  start(args: readonly string[]): ChildProcess;
  call(served: Served, path: string, body?: unknown, token?: string): Promise<ApiReply>;
  /** Wait until this many requests wait, and give them back. */
  waiting(served: Served, count?: number, query?: string): Promise<readonly PendingApproval[]>;
  answer(served: Served, id: string, answer: ApprovalBody): Promise<ApiReply>;
  /** The newest records of the log. */
  log(served: Served): Promise<readonly AuditRecord[]>;
  close(): Promise<void>;
}

/** A workspace and a state that several processes share. */
export function openConsentFixture(): ConsentFixture {
  const dir = mkdtempSync(join(tmpdir(), "tenon-consent-"));
  const workspace = join(dir, "work");
  mkdirSync(workspace);
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, TENON_STATE_DIR: join(dir, "state") };
  const children: ChildProcess[] = [];
  const start = (args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [bin, ...args, "--workspace", workspace], {
      cwd: workspace,
      env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    children.push(child);
    return child;
  };
  const call: ConsentFixture["call"] = async ({ url, token }, path, body, own = token) => {
    const reply = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${own}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: await reply.json() };
  };
  return {
    dir: workspace,
    env,
    start,
    async serve(config) {
      const file = join(dir, `config-${children.length}.json`);
      if (config !== undefined) writeFileSync(file, JSON.stringify(config));
      const child = start([
        "serve",
        "--port",
        "0",
        "--json",
        "--quiet",
        ...(config === undefined ? [] : ["--config", file]),
      ]);
      let said = "";
      let complained = "";
      child.stderr?.on("data", (chunk) => (complained += String(chunk)));
      return new Promise((done, fail) => {
        child.once("exit", () => fail(new Error(`tenon serve ended: ${complained}`)));
        child.stdout?.on("data", (chunk) => {
          said += String(chunk);
          if (said.includes("\n")) done({ ...(JSON.parse(said) as Omit<Served, "child">), child });
        });
      });
    },
    call,
    async waiting(served, count = 1, query = "") {
      return until(async () => {
        const { body } = await call(served, `/api/approvals${query}`);
        return body.length === count ? (body as readonly PendingApproval[]) : undefined;
      }, `${count} requests`);
    },
    answer: (served, id, answer) => call(served, `/api/approvals/${encodeURIComponent(id)}`, answer),
    async log(served) {
      return (await call(served, "/api/log?limit=20")).body.records as readonly AuditRecord[];
    },
    async close() {
      await Promise.all(children.map((child) => ended(child)));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Wait for a condition, however slow the machine is. */
export async function until<T>(look: () => Promise<T | undefined>, what: string, ms = 100_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`There was no sign of: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await over;
}
