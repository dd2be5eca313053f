/** The parts of a home folder that belong to a tool chain, relative to it. */
export interface Profile {
  /** Programs and libraries: always visible, never writable. */
  readonly programs: readonly string[];
  /**
   * Downloads. Each workspace has its own, which its commands write and which last, so that an install works without
   * network the second time. Those of the user are never writable, because the user's own builds trust them; a command
   * without network can read them as long as the workspace has none.
   */
  readonly caches: readonly string[];
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
    caches: [
      ".npm/_cacache",
      ".npm/_npx",
      ".local/share/pnpm/store",
      ".yarn/berry",
      ".bun/install/cache",
      ".cache/yarn",
      ".cache/pnpm",
      ".cache/node",
      ".cache/node-gyp",
      ".cache/deno",
    ],
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
    caches: [".cache/pip", ".cache/uv", ".cache/pypoetry", ".cache/pipenv", ".cache/pdm"],
  },
  rust: { programs: [".cargo/bin", ".cargo/env", ".rustup"], caches: [".cargo/registry", ".cargo/git"] },
  go: { programs: ["go/bin", "sdk", ".goenv"], caches: ["go/pkg/mod", ".cache/go-build"] },
  java: {
    programs: [".sdkman/candidates", ".jenv", ".jdks"],
    caches: [".m2/repository", ".gradle/caches", ".gradle/wrapper"],
  },
  ruby: { programs: [".rbenv", ".rvm", ".gem"], caches: [".bundle/cache", ".local/share/gem", ".cache/gem"] },
  php: {
    programs: [".config/composer/vendor", ".composer/vendor", ".phpenv"],
    caches: [".cache/composer", ".composer/cache"],
  },
  versions: { programs: [".asdf", ".local/share/mise", ".proto"], caches: [] },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as [ProfileName, ...ProfileName[]];

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
