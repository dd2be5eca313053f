import type { GitSetting } from "./git-config.js";

/** Where the file with the settings lies. */
export interface SettingsLocation {
  /** Whether a path, taken from the git folder, leads to a place that commands may write anyway. */
  readonly leadsInside: (path: string) => boolean;
}

/**
 * Whether a setting of a repository makes git run nothing, read no further settings and write nowhere else.
 * Everything that is not listed here counts as dangerous: git gets new settings with every version.
 */
export function isHarmlessSetting(setting: GitSetting, place: SettingsLocation): boolean {
  const { section, subsection, name, value } = setting;
  if (section === "core" && subsection === undefined && name === "worktree") return place.leadsInside(value);
  if (section === "core" && subsection === undefined && name === "fsmonitor") return isFalse(value);
  if (subsection !== undefined) return isHarmlessBelow(setting);
  return wholeSections.has(section) || plainNames[section]?.has(name) === true;
}

/** Whether a setting of `.gitmodules` makes git run nothing. */
export function isHarmlessModule({ section, subsection, name, value }: GitSetting): boolean {
  return (
    section === "submodule" &&
    subsection !== undefined &&
    name !== "active" &&
    isHarmlessSubmodule(name, value)
  );
}

/** Whether git would reach a repository of that address without running a program that the address names. */
export function isHarmlessAddress(address: string): boolean {
  // An option in the place of an address, or of the host that is handed to ssh.
  if (/^-|[\n\r\0]/.test(address)) return false;
  // `ext::sh -c …` and the like name the program that speaks.
  if (/^[A-Za-z0-9][A-Za-z0-9+.-]*::/.test(address)) return false;
  const scheme = /^([A-Za-z0-9][A-Za-z0-9+.-]*):\/\//.exec(address)?.[1]?.toLowerCase();
  if (scheme !== undefined) {
    return schemes.has(scheme) && !/^[^:]+:\/\/(?:[^/@]*@)?\[?-/.test(address);
  }
  return !/^(?:[^/@:]*@)?\[?-/.test(address);
}

const schemes = new Set(["http", "https", "ssh", "git", "file", "git+ssh", "ssh+git"]);

/** Sections of which every setting without a subsection is harmless. */
const wholeSections = new Set(["user", "author", "committer", "color", "column", "advice", "i18n"]);

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Harmless settings without a subsection, by section. */
const plainNames: Readonly<Record<string, ReadonlySet<string>>> = {
  core: words(`abbrev autocrlf bare bigfilethreshold checkstat commentchar commentstring commitgraph compression
    deltabasecachelimit eol excludesfile filemode hidedotfiles ignorecase logallrefupdates longpaths
    loosecompression multipackindex packedgitlimit precomposeunicode preloadindex quotepath
    repositoryformatversion safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks
    trustctime untrackedcache warnambiguousrefs whitespace`),
  branch: words("autosetupmerge autosetuprebase sort"),
  checkout: words("defaultremote guess thresholdforparallelism workers"),
  clone: words("defaultremotename rejectshallow"),
  commit: words("cleanup gpgsign status verbose"),
  diff: words(`algorithm autorefreshindex colormoved colormovedws context dirstat ignoresubmodules indentheuristic
    interhunkcontext mnemonicprefix noprefix relative renamelimit renames statgraphwidth submodule
    suppressblankempty wordregex wserrorhighlight`),
  extensions: words(
    "compatobjectformat noop objectformat partialclone preciousobjects refstorage relativeworktrees worktreeconfig",
  ),
  feature: words("manyfiles experimental"),
  fetch: words(
    "fsckobjects negotiationalgorithm output parallel prune prunetags recursesubmodules showforcedupdates unpacklimit writecommitgraph",
  ),
  gc: words(
    "auto autodetach autopacklimit pruneexpire reflogexpire reflogexpireunreachable worktreepruneexpire writecommitgraph",
  ),
  index: words("sparse threads version"),
  init: words("defaultbranch defaultobjectformat defaultrefformat"),
  lfs: words("repositoryformatversion"),
  log: words("abbrevcommit date decorate diffmerges follow mailmap showroot"),
  maintenance: words("auto autodetach strategy"),
  merge: words(
    "autostash branchdesc conflictstyle directoryrenames ff log renamelimit renames renormalize stat suppressdest verbosity",
  ),
  pack: words(
    "compression deltacachelimit deltacachesize depth indexversion packsizelimit threads usebitmaps usesparse window windowmemory",
  ),
  pull: words("ff rebase"),
  push: words("autosetupremote default followtags recursesubmodules useforceifincludes"),
  rebase: words("abbreviatecommands autosquash autostash missingcommitscheck rebasemerges stat updaterefs"),
  receive: words("autogc denycurrentbranch denydeletes denynonfastforwards fsckobjects unpacklimit"),
  remote: words("pushdefault"),
  rerere: words("autoupdate enabled"),
  stash: words("showincludeuntracked showpatch showstat"),
  status: words(
    "aheadbehind branch displaycommentprefix relativepaths renamelimit renames short showstash showuntrackedfiles submodulesummary",
  ),
  submodule: words("active fetchjobs propagatebranches recurse"),
  tag: words("forcesignannotated gpgsign sort"),
  transfer: words("fsckobjects hiderefs unpacklimit"),
  worktree: words("guessremote userelativepaths"),
};

const remoteNames = words(
  "fetch followremotehead mirror partialclonefilter promisor prune prunetags push skipdefaultupdate skipfetchall tagopt",
);
const branchNames = words("description merge pushremote rebase remote");

function isHarmlessBelow({ section, name, value }: GitSetting): boolean {
  if (section === "remote") {
    if (name === "url" || name === "pushurl") return isHarmlessAddress(value);
    return remoteNames.has(name);
  }
  // A branch may name a remote by its address.
  if (section === "branch")
    return branchNames.has(name) && (!name.endsWith("remote") || isHarmlessAddress(value));
  if (section === "submodule") return isHarmlessSubmodule(name, value);
  return section === "color" || section === "advice";
}

const submoduleNames = words("active branch fetchrecursesubmodules ignore path shallow");

function isHarmlessSubmodule(name: string, value: string): boolean {
  if (name === "url") return isHarmlessAddress(value);
  if (name === "update") return ["checkout", "rebase", "merge", "none"].includes(value.toLowerCase());
  return submoduleNames.has(name) && !value.startsWith("-");
}

function isFalse(value: string): boolean {
  return ["false", "no", "off", "0", ""].includes(value.toLowerCase());
}
