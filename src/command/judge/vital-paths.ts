import type { ShellContext } from "../walk.js";
import type { Field } from "../words/field.js";
import { matchGlob } from "../words/match-glob.js";
import { absolutePath, isInside } from "../words/paths.js";
import { likely } from "./judged-command.js";

const top =
  "bin boot dev etc home lib lib32 lib64 libx32 mnt media opt proc root run sbin srv sys usr var Applications Library System Users Volumes private".split(
    " ",
  );
const second = [
  ..."bin lib lib64 sbin share include local libexec".split(" ").map((name) => `/usr/${name}`),
  "/var/lib",
];
const systemDirectories = new Set([...top.map((name) => `/${name}`), ...second]);

export type Vital =
  | "the whole file system"
  | "a system directory"
  | "a home directory"
  | "a parent of the workspace";

/** What a word stands for, if that must not be deleted or changed as a whole. */
export function vitalPlace(field: Field, cwd: string, place: ShellContext): Vital | undefined {
  const text = likely(field);
  if (text === "") return undefined;
  return field.pattern === undefined
    ? vitalPath(text, cwd, place)
    : vitalGlob(text, field.pattern, { cwd, place });
}

function vitalPath(text: string, cwd: string, place: ShellContext): Vital | undefined {
  const path = absolutePath(text, cwd);
  if (path === "/") return "the whole file system";
  if (systemDirectories.has(path)) return "a system directory";
  if (path === place.home || /^\/(?:home|Users)\/[^/]+$/.test(path)) return "a home directory";
  return isParent(path, text, place) ? "a parent of the workspace" : undefined;
}

/** Above the workspace; the common places for passing files only where they are meant as such. */
function isParent(path: string, text: string, { workspace }: ShellContext): boolean {
  if (!isInside(workspace, path)) return false;
  if (!text.startsWith("/")) return /^(?:\.\/+)*\.\.(?:\/+(?:\.\.|\.)?)*$/.test(text);
  return path !== workspace && !/^(?:\/private)?(?:\/var)?\/tmp$/.test(path);
}

function vitalGlob(
  text: string,
  pattern: string,
  { cwd, place }: { readonly cwd: string; readonly place: ShellContext },
): Vital | undefined {
  const cut = text.replace(/\/+$/, "");
  const slash = cut.lastIndexOf("/");
  const last = cut.slice(slash + 1);
  const everything = /^(?:\.?\*+|\.\[!\.\]\*|\.\?\?\*)$/.test(last);
  if (everything) {
    const parent = slash < 0 ? "" : cut.slice(0, slash + 1);
    const above = /[*?[]/.test(parent) ? undefined : vitalPath(parent === "" ? cwd : parent, cwd, place);
    if (above !== undefined) return above;
  }
  const whole = pattern.startsWith("/") ? pattern : `${cwd}/${pattern}`;
  if (/(?:^|\/)\.\.(?:\/|$)/.test(whole)) return undefined;
  if ([...systemDirectories].some((path) => matchGlob(whole, path))) return "a system directory";
  return matchGlob(whole, place.home) || matchGlob(whole, "/root") ? "a home directory" : undefined;
}
