/** The absolute path without `.`, `..` and doubled slashes. */
export function absolutePath(path: string, cwd: string): string {
  const kept: string[] = [];
  for (const name of (path.startsWith("/") ? path : `${cwd}/${path}`).split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") kept.pop();
    else kept.push(name);
  }
  return `/${kept.join("/")}`;
}

/** Whether an absolute path is the directory or is inside it. */
export function isInside(path: string, root: string): boolean {
  if (root === "/") return true;
  return path.startsWith(root) && (path.length === root.length || path[root.length] === "/");
}

export function baseName(path: string): string {
  const end = path.endsWith("/") && path.length > 1 ? path.replace(/\/+$/, "") : path;
  return end.slice(end.lastIndexOf("/") + 1);
}
