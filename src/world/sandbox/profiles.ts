/** The parts of a home folder that belong to a tool chain, relative to it. */
export interface Profile {
  /** Programs and libraries: always visible, never writable. */
  readonly programs: readonly string[];
  /**
   * Downloads: visible without network, so that builds work offline. With network, the command gets empty caches,
   * because programs of the user trust the contents of the real ones.
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
    caches: [".npm/_cacache"],
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
    caches: [],
  },
  rust: { programs: [".cargo/bin", ".cargo/env", ".rustup"], caches: [".cargo/registry", ".cargo/git"] },
  go: { programs: ["go/bin", "sdk", ".goenv"], caches: ["go/pkg/mod"] },
  java: { programs: [".sdkman/candidates", ".jenv", ".jdks"], caches: [".m2/repository"] },
  ruby: { programs: [".rbenv", ".rvm", ".gem"], caches: [] },
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
