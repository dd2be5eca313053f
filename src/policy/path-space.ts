/** How names are compared. Only rules that tighten compare loosely, so folding too much is safe. */
export type Folding = "exact" | "folded" | "lower";

/** A normal path as its names, from the root and, where it lies inside, from the workspace. */
export interface PathShape {
  readonly absolute: readonly string[];
  readonly relative: readonly string[] | undefined;
}

/** A path that a call touches, ready to be compared. */
export interface PathView {
  /** Relative to the workspace where it lies inside, else absolute. */
  readonly text: string;
  readonly inside: boolean;
  readonly space: PathSpace;
  readonly shapes: { exact: PathShape; folded?: PathShape; lower?: PathShape };
}

/** The workspace, and how paths are read in it. */
export interface PathSpace {
  readonly windows: boolean;
  readonly caseInsensitive: boolean;
  readonly root: Readonly<Record<Folding, readonly string[]>>;
}

/** Describe where paths are judged. A workspace such as `C:\work` makes it a Windows one. */
export function createPathSpace(workspace: string, caseInsensitive?: boolean): PathSpace {
  const windows = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(workspace);
  const exact = normalNames(windows ? workspace.replaceAll("\\", "/") : workspace);
  return {
    windows,
    caseInsensitive: caseInsensitive ?? windows,
    root: { exact, folded: foldNames(exact, "folded"), lower: foldNames(exact, "lower") },
  };
}

/** Bring a path into normal form; `..` is resolved first, so nothing hides behind it. */
export function viewPath(path: string, space: PathSpace): PathView {
  const text = space.windows ? path.replaceAll("\\", "/") : path;
  const { exact: root } = space.root;
  if (!isAbsolutePath(text, space) && !ODD.test(text)) {
    const relative = text.split("/");
    return { text, inside: true, space, shapes: { exact: { relative, absolute: [...root, ...relative] } } };
  }
  const absolute = isAbsolutePath(text, space) ? normalNames(text) : normalNames(`${root.join("/")}/${text}`);
  const inside = isBelow(absolute, space);
  const relative = inside ? absolute.slice(root.length) : undefined;
  const shown = relative?.join("/") ?? `${space.windows ? "" : "/"}${absolute.join("/")}`;
  return { text: shown === "" ? "." : shown, inside, space, shapes: { exact: { relative, absolute } } };
}

/** The path's names under a folding; made once, when a rule first asks. */
export function shapeOf(view: PathView, folding: Folding): PathShape {
  return view.shapes[folding] ?? (view.shapes[folding] = foldShape(view, folding));
}

function foldShape({ text, space, shapes }: PathView, folding: Folding): PathShape {
  const { relative, absolute } = shapes.exact;
  if (relative === undefined) return { relative, absolute: foldNames(absolute, folding) };
  const same = PLAIN_PATH.test(text) && (folding === "folded" || !/[A-Z]/.test(text));
  const names = same ? relative : foldNames(relative, folding);
  return { relative: names, absolute: [...space.root[folding], ...names] };
}

/** Whether a path or a pattern names its place from the root on. */
export function isAbsolutePath(text: string, space: PathSpace): boolean {
  return text.startsWith("/") || (space.windows && /^[A-Za-z]:(?:\/|$)/.test(text));
}

/** Fold one name, or a pattern of names. */
export function foldText(text: string, folding: Folding): string {
  if (folding === "exact") return text;
  const folded = PLAIN.test(text) ? text : text.replace(IGNORED, "").normalize("NFC").replace(DROPPED, "");
  if (folding === "folded") return folded;
  if (PLAIN.test(folded)) return folded.toLowerCase();
  return folded.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFC").replaceAll("ς", "σ");
}

/** Printable ASCII that ends in neither a dot nor a space: nothing to fold but case. */
const PLAIN = /^[\x20-\x7e]*(?<![. ])$/;

/** The same for a path of such names. */
const PLAIN_PATH = /^(?![^]*[. ](?:\/|$))[\x20-\x7e]*$/;

/** What HFS+ leaves out when it compares names, soft hyphens and joiners. */
const IGNORED = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g;

/** Windows drops dots and spaces at the end of a name; `.` and `..` never get here. */
const DROPPED = /(?<=[^. ])[. ]+$/;

/** Empty names, `.` and `..`. */
const ODD = /(?:^|\/)(?:\.{1,2})?(?:\/|$)/;

function foldNames(names: readonly string[], folding: Folding): readonly string[] {
  return names.map((name) => foldText(name, folding));
}

function normalNames(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}

function isBelow(absolute: readonly string[], space: PathSpace): boolean {
  const folding = space.caseInsensitive ? "lower" : "exact";
  return space.root[folding].every((name, at) => {
    const own = absolute[at];
    return own !== undefined && (own === space.root.exact[at] || foldText(own, folding) === name);
  });
}
