import { isAbsolute, join } from "node:path";
import type { Environment } from "./interpolate.js";

/** Where the person's own configuration lies. */
export function userConfigDir(env: Environment, home: string): string {
  return join(xdgFolder(env["XDG_CONFIG_HOME"]) ?? join(home, ".config"), "tenon");
}

/** Where Tenon's state lies if nothing names a place. */
export function defaultStateDir(env: Environment, home: string): string {
  return join(xdgFolder(env["XDG_STATE_HOME"]) ?? join(home, ".local", "state"), "tenon");
}

/** The XDG rules: a folder that is not absolute is to be ignored. */
function xdgFolder(folder: string | undefined): string | undefined {
  return folder !== undefined && isAbsolute(folder) ? folder : undefined;
}
