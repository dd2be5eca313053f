/** Variables that change how much is said, and nothing that is done. */
const harmless = new Set(
  (
    "LANG LANGUAGE TZ CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM COLUMNS LINES USER LOGNAME " +
    "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING RUST_BACKTRACE RUST_LOG DEBUG VERBOSE PORT LOG_LEVEL"
  ).split(" "),
);

/** Whether setting a variable cannot change what a command does. */
export function isHarmlessVariable(name: string): boolean {
  return harmless.has(name) || name.startsWith("LC_");
}

const steering =
  /^(?:PATH|HOME|IFS|ENV|BASH_\w+|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|LD_\w+|DYLD_\w+|GIT_\w+|PROMPT_COMMAND|PS4|PAGER|\w+_PAGER|EDITOR|VISUAL|LESS\w*|TAR_OPTIONS|GREP_\w+|XDG_\w+|RIPGREP_CONFIG_PATH|MAKEFLAGS|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME)|PERL5\w+|RUBY(?:OPT|LIB))$/;

/**
 * Whether a variable of the session may change what a read-only program does: those that programs are known to
 * read, and those named like a search path, an option or a setting. These programs do not read names that a person
 * made up, such as `API_BASE`.
 */
export function mayChangeReaders(name: string): boolean {
  if (isHarmlessVariable(name)) return false;
  return isSteeringVariable(name) || obeyed.test(name) || settings.test(name);
}

const obeyed =
  /^(?:A?WK|GAWK|BAT|BASH|COLUMNS|CURL|DOCKER|FD|FZF|G?CONV|GCC|GIT|GLIBC|GLOB|GREP|GZIP|HIST|JAVA|_JAVA|JDK|JQ|LANG|LD|LESS|LOC|LS|MAGIC|MAKE|MALLOC|MAN|NLS|NODE|NPM|OPENSSL|PERL|POSIX|PYTHON|RESOLV|RG|RIPGREP|RUBY|SHELL|SSL|TAR|TEMP|TMP|TREE|WGET|XDG|XZ|ZDOT|ZSTD|TERM)/i;
const settings =
  /(?:PATH|PAGER|EDITOR|OPTION|OPTIONS|OPTS?|ARGS|FLAGS?|RC|CONFIG|CONF|HOME|DIR|SHELL|PRELOAD|COLORS?|COMMAND|CMD|EXEC|HOOK|PROXY|FILE)$/i;

/** Whether setting a variable can make any program run other code. */
export function isSteeringVariable(name: string): boolean {
  return steering.test(name);
}
