import { existsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Where tests that need no disk put their files: in memory where the system has room there, since syncing takes long under load. */
export function memoryDir(): string {
  const folder = process.env["TENON_TEST_MEMORY"];
  return folder !== undefined && existsSync(folder) ? folder : tmpdir();
}
