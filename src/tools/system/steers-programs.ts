/**
 * Whether a variable can make other commands load or start different code. With such a variable set, `ls` or `git log`
 * may no longer be harmless, so a person is asked first. This list is only advisory: the sandbox is the protection.
 */
export function steersPrograms(key: string): boolean {
  const name = key.toUpperCase();
  return (
    names.has(name) ||
    prefixes.some((prefix) => name.startsWith(prefix)) ||
    suffixes.some((suffix) => name.endsWith(suffix))
  );
}

const whereProgramsAndSettingsAre = "PATH PATHEXT CDPATH HOME COMSPEC ZDOTDIR CLASSPATH GCONV_PATH";
const howShellsStart = "ENV IFS SHELL SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND";
const whatRuntimesLoad =
  "PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONBREAKPOINT PYTHONWARNINGS PERL5LIB PERL5OPT PERL5DB PERLLIB " +
  "NODE_OPTIONS NODE_PATH RUBYLIB RUBYOPT GEM_HOME GEM_PATH GOFLAGS GOPATH GOROOT";
const whatProgramsStart = "VISUAL BROWSER LESSOPEN LESSCLOSE MAKEFLAGS RIPGREP_CONFIG_PATH CC CXX";

const names: ReadonlySet<string> = new Set(
  [whereProgramsAndSettingsAre, howShellsStart, whatRuntimesLoad, whatProgramsStart].join(" ").split(" "),
);

const prefixes = "LD_ DYLD_ BASH_ GIT_ SSH_ XDG_ NPM_CONFIG_ YARN_ PIP_ CARGO_ RUSTC MAVEN_ GRADLE_".split(
  " ",
);

const suffixes = ["EDITOR", "PAGER", "ASKPASS", "JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_WRAPPER"];
