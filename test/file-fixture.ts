import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTenon, type Tenon, type TenonOptions, type ToolEnvelope } from "../src/index.js";
import { memoryDir } from "./setup/memory-dir.js";

/** A workspace with a Tenon on it, as a user of the library has them. */
export interface FileFixture {
  readonly root: string;
  readonly workspace: string;
  readonly tenon: Tenon;
  path(name: string): string;
  put(name: string, content: string | Uint8Array): void;
  text(name: string): string;
  bytes(name: string): Buffer;
  call(name: string, args?: object, more?: object): Promise<ToolEnvelope<Record<string, unknown>>>;
  /** Call and expect success; the result. */
  ok(name: string, args?: object, more?: object): Promise<Record<string, unknown>>;
  /** Call and expect a refusal; its error. */
  refused(name: string, args?: object): Promise<NonNullable<ToolEnvelope["error"]>>;
  reopen(options?: TenonOptions): Promise<void>;
  close(): Promise<void>;
}

const base = memoryDir();

/** Open one; changes of files run unasked unless the options say otherwise. */
export function openFileFixture(options: TenonOptions = {}): FileFixture {
  const root = mkdtempSync(join(base, "tenon-files-"));
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const open = (more: TenonOptions): Tenon =>
    createTenon({
      workspace,
      ...more,
      config: { stateDir: join(root, "state"), mode: "auto", ...more.config },
    });
  let tenon = open(options);
  const call: FileFixture["call"] = async (name, args = {}, more = {}) =>
    (await tenon.call({ name, arguments: args, ...more })) as ToolEnvelope<Record<string, unknown>>;
  return {
    root,
    workspace,
    get tenon() {
      return tenon;
    },
    path: (name) => join(workspace, name),
    put: (name, content) => writeFileSync(join(workspace, name), content),
    text: (name) => readFileSync(join(workspace, name), "utf8"),
    bytes: (name) => readFileSync(join(workspace, name)),
    call,
    async ok(name, args, more) {
      const answer = await call(name, args, more);
      if (!answer.success) throw new Error(`${name} failed: ${JSON.stringify(answer.error)}`);
      return answer.result;
    },
    async refused(name, args) {
      const answer = await call(name, args);
      if (answer.error === undefined)
        throw new Error(`${name} was not refused: ${JSON.stringify(answer.result)}`);
      return answer.error;
    },
    async reopen(more = options) {
      await tenon.close();
      tenon = open(more);
    },
    async close() {
      await tenon.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
