/** The parts of a home folder that belong to a tool chain, relative to it. */
export interface Profile {
  /** Programs and libraries: always visible, never writable. */
  readonly programs: readonly string[];
  /**
   * Downloads, each with the program that makes them. Each workspace has its own, which its commands write and which last, so that an install works without
   * network the second time. Those of the user are never writable, because the user's own builds trust them; a command
   * without network can read them as long as the workspace has none.
   */
  readonly caches: Readonly<Record<string, string>>;
}

/** The profiles by name. No file with credentials (`.npmrc`, `.m2/settings.xml`, …) is in any of them. */
export const profiles = {
  node: {
    programs: [
      ".nvm/versions",
      ".nvm/nvm.sh",
      ".nvm/alias",
      ".volta",
      ".fnm",
      ".local/share/fnm",
      ".n",
      ".bun/bin",
      ".deno/bin",
      ".local/share/pnpm",
      ".yarn/bin",
    ],
    caches: {
      ".npm/_cacache": "npm",
      ".npm/_npx": "npm",
      ".local/share/pnpm/store": "pnpm",
      ".yarn/berry": "yarn",
      ".bun/install/cache": "bun",
      ".cache/yarn": "yarn",
      ".cache/pnpm": "pnpm",
      ".cache/node": "corepack",
      ".cache/node-gyp": "npm",
      ".cache/deno": "deno",
    },
  },
  python: {
    programs: [
      ".pyenv",
      ".local/share/uv",
      ".local/share/pipx",
      ".local/pipx",
      ".local/lib",
      "miniconda3",
      "anaconda3",
      "miniforge3",
    ],
    caches: {
      ".cache/pip": "python3",
      ".cache/uv": "uv",
      ".cache/pypoetry": "poetry",
      ".cache/pipenv": "pipenv",
      ".cache/pdm": "pdm",
    },
  },
  rust: {
    programs: [".cargo/bin", ".cargo/env", ".rustup"],
    caches: { ".cargo/registry": "cargo", ".cargo/git": "cargo" },
  },
  go: { programs: ["go/bin", "sdk", ".goenv"], caches: { "go/pkg/mod": "go", ".cache/go-build": "go" } },
  java: {
    programs: [".sdkman/candidates", ".jenv", ".jdks"],
    caches: { ".m2/repository": "java", ".gradle/caches": "java", ".gradle/wrapper": "java" },
  },
  ruby: {
    programs: [".rbenv", ".rvm", ".gem"],
    caches: { ".bundle/cache": "ruby", ".local/share/gem": "ruby", ".cache/gem": "ruby" },
  },
  php: {
    programs: [".config/composer/vendor", ".composer/vendor", ".phpenv"],
    caches: { ".cache/composer": "php", ".composer/cache": "php" },
  },
  versions: { programs: [".asdf", ".local/share/mise", ".proto"], caches: {} },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as [ProfileName, ...ProfileName[]];

/** Caches in which each file stands for itself: if one is missing, the tool downloads it again. */
export const looseCaches: ReadonlySet<string> = new Set([
  ".npm/_cacache",
  ".yarn/berry",
  ".cache/yarn",
  ".cache/pip",
  ".cache/go-build",
  ".cache/gem",
  ".bundle/cache",
  ".cache/composer",
  ".composer/cache",
]);

/** Cache folders that tool chains write; each session has its own. */
export const privateCaches: readonly string[] = [".cache"];

/**
 * Credentials and keys in a home folder. The whole home folder is hidden, so these matter only if the workspace is the
 * home folder or contains it.
 */
export const homeSecrets: readonly string[] = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".config/gcloud",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".config/op",
  ".config/rclone",
  ".config/sops",
  ".config/tenon",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/Code",
  ".config/Cursor",
  ".kube",
  ".docker",
  ".oci",
  ".netrc",
  ".git-credentials",
  ".config/git/credentials",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".config/pip",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".terraform.d",
  ".terraformrc",
  ".vault-token",
  ".password-store",
  ".local/share/keyrings",
  ".local/state/tenon",
  ".mozilla",
  ".thunderbird",
  ".pgpass",
  ".my.cnf",
  ".databrickscfg",
  ".snowflake",
  ".boto",
  ".s3cfg",
  ".bash_history",
  ".zsh_history",
  ".psql_history",
  ".mysql_history",
  ".node_repl_history",
  ".python_history",
];
