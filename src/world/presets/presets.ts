import { join } from "node:path";
import type { PresetName } from "../../contract/preset-names.js";
import {
  addressesIn,
  parseIni,
  readAll,
  withoutCredentials,
  type ConfigSource,
  type Setting,
  type ToolConfig,
} from "./tool-config.js";

/** How the hosts of a tool are found. */
export interface Preset {
  /** From its configuration on this machine and in the project. */
  readonly read: (source: ConfigSource) => Promise<ToolConfig>;
  /**
   * A command that prints the addresses that are built into the tool, for one that is not configured. It runs unasked,
   * so it must not run code of the project.
   */
  readonly ask?: string | undefined;
}

/** The presets by name. No host is written here: a tool knows its own. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  npm: { read: readNpm, ask: "npm config get registry" },
  pip: {
    read: readPip,
    ask: "python3 -I -c 'from pip._internal.models.index import PyPI as p; print(p.simple_url, \"https://\" + p.file_storage_domain)'",
  },
  git: { read: readGit },
  cargo: { read: readCargo },
  go: { read: readGo, ask: "go env GOPROXY; echo https://$(go env GOSUMDB)" },
  maven: {
    read: readMaven,
    ask: `home=$(dirname "$(dirname "$(readlink -f "$(command -v mvn)")")"); for jar in "$home"/lib/maven-model-builder-*.jar; do unzip -p "$jar" org/apache/maven/model/pom-4.0.0.xml || python3 -I -c 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read("org/apache/maven/model/pom-4.0.0.xml").decode())' "$jar"; done | grep '<url>'`,
  },
  gradle: { read: readGradle },
  gem: { read: readGem, ask: "gem sources --list" },
  composer: { read: readComposer, ask: "composer --no-plugins config --global --list" },
  apt: { read: readApt },
};

async function readNpm(source: ConfigSource): Promise<ToolConfig> {
  const { env, home } = source;
  const files = [...inFolders(source, ".npmrc"), join(home, ".npmrc"), "/etc/npmrc"];
  const found = await readAll(files, source, (text) => ({ values: parseIni(expand(text, env)) }));
  const fromEnv = env["npm_config_registry"] ?? env["NPM_CONFIG_REGISTRY"];
  const registries: Setting[] = [
    ...(fromEnv === undefined ? [] : [{ value: fromEnv, isHidden: true }]),
    ...found.flatMap(({ values }) => {
      const value = values.get("registry");
      return value === undefined ? [] : [{ value, isHidden: false }];
    }),
  ];
  const scoped = found.flatMap(({ values }) =>
    [...values].flatMap(([key, value]) => (/^@[^:]+:registry$/.test(key) ? [value] : [])),
  );
  const yarn = await readAll(inFolders(source, ".yarnrc.yml"), source, addressesIn);
  return {
    addresses: [...registries.slice(0, 1).map(({ value }) => value), ...scoped, ...yarn.flat()],
    variables: hiddenVariables({ npm_config_registry: registries[0] }),
  };
}

async function readPip(source: ConfigSource): Promise<ToolConfig> {
  const { env, home } = source;
  const files = [
    ...[env["PIP_CONFIG_FILE"], env["VIRTUAL_ENV"] && join(env["VIRTUAL_ENV"], "pip.conf")].filter(isText),
    ...inFolders(source, ".venv/pip.conf"),
    join(home, ".config/pip/pip.conf"),
    join(home, ".pip/pip.conf"),
    "/etc/xdg/pip/pip.conf",
    "/etc/pip.conf",
  ];
  const found = await readAll(files, source, (text) => ({ values: parseIni(text) }));
  const setting = (name: string): Setting | undefined => {
    const fromEnv = env[`PIP_${name.toUpperCase().replaceAll("-", "_")}`];
    if (fromEnv !== undefined) return { value: fromEnv, isHidden: true };
    const first = found.find(({ values }) => values.has(name) || values.has(name.replaceAll("-", "_")));
    const value = first?.values.get(name) ?? first?.values.get(name.replaceAll("-", "_"));
    return value === undefined ? undefined : { value, isHidden: false };
  };
  const [index, extra, links] = ["index-url", "extra-index-url", "find-links"].map(setting);
  const project = ["uv.toml", "pyproject.toml", "requirements.txt"].flatMap((name) =>
    inFolders(source, name),
  );
  const named = await readAll([...project, join(home, ".config/uv/uv.toml")], source, indexesIn);
  const ofUv = ["UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL"].map(
    (name) => env[name],
  );
  return {
    addresses: addressesIn(
      [index?.value, extra?.value, links?.value, ...ofUv, ...named.flat()].filter(isText).join(" "),
    ),
    variables: hiddenVariables({ PIP_INDEX_URL: index, PIP_EXTRA_INDEX_URL: extra, PIP_FIND_LINKS: links }),
  };
}

/** Addresses of indexes in requirements and in the settings of uv and Poetry, not those of the project itself. */
function indexesIn(text: string): string[] {
  const options = text.match(/^\s*(?:-i|--(?:extra-)?index-url|--find-links|-f)[ =]\S+/gm) ?? [];
  const tables = text.match(/^\[\[?(?:tool\.uv\.index|index|tool\.poetry\.source)\]?\][^[]*/gm) ?? [];
  const keys = text.match(/^\s*(?:extra-)?index-url\s*=.*$/gm) ?? [];
  return addressesIn([...options, ...tables, ...keys].join("\n"));
}

async function readGit(source: ConfigSource): Promise<ToolConfig> {
  const files = [...inFolders(source, ".git/config"), ...inFolders(source, ".gitmodules")];
  const remotes = await readAll(files, source, (text) =>
    [...text.matchAll(/^\s*(?:push)?url\s*=\s*(\S+)/gim)].map(([, address = ""]) => address),
  );
  const settings = [join(source.home, ".gitconfig"), join(source.home, ".config/git/config")];
  const replaced = await readAll(settings, source, (text) =>
    [...text.matchAll(/^\s*\[url "([^"]+)"\]/gm)].map(([, address = ""]) => address),
  );
  return { addresses: [...remotes.flat(), ...replaced.flat()] };
}

async function readCargo(source: ConfigSource): Promise<ToolConfig> {
  const home = source.env["CARGO_HOME"] ?? join(source.home, ".cargo");
  const names = ["config.toml", "config"];
  const files = names.flatMap((name) => [...inFolders(source, `.cargo/${name}`), join(home, name)]);
  const found = await readAll(files, source, (text) => {
    const tables = text.match(/^\s*\[(?:source|registries|registry)[^[]*/gm) ?? [];
    return addressesIn(tables.join("\n"));
  });
  const fromEnv = Object.entries(source.env).flatMap(([name, value]) =>
    /^CARGO_REGISTR(?:Y|IES)_.*INDEX$/.test(name) && value !== undefined ? addressesIn(value) : [],
  );
  return { addresses: [...fromEnv, ...found.flat()] };
}

async function readGo(source: ConfigSource): Promise<ToolConfig> {
  const file = source.env["GOENV"] ?? join(source.home, ".config/go/env");
  const [values = new Map<string, string>()] = await readAll([file], source, parseIni);
  const setting = (name: string): Setting | undefined => {
    const value = source.env[name] ?? values.get(name);
    return value === undefined ? undefined : { value, isHidden: source.env[name] !== undefined };
  };
  const [proxy, sums] = [setting("GOPROXY"), setting("GOSUMDB")];
  return {
    addresses: goAddresses([proxy?.value, sums?.value].filter(isText).join(" ")),
    variables: hiddenVariables({ GOPROXY: proxy, GOSUMDB: sums }),
  };
}

/** A checksum database is named without a scheme. */
function goAddresses(text: string): string[] {
  return text
    .split(/[\s,|]+/)
    .filter((part) => !/^(?:|direct|off)$/.test(part))
    .map((part) => (part.includes("://") ? part : `https://${part.split("+")[0]}`));
}

async function readMaven(source: ConfigSource): Promise<ToolConfig> {
  const files = [
    ...inFolders(source, "pom.xml"),
    join(source.home, ".m2/settings.xml"),
    "/etc/maven/settings.xml",
  ];
  const found = await readAll(files, source, (text) => {
    const plain = text.replaceAll(/<!--[^]*?-->/g, "");
    const parts = plain.match(/<(mirror|repository|pluginRepository|snapshotRepository)>[^]*?<\/\1>/g) ?? [];
    return addressesIn(parts.filter((part) => !part.includes("<blocked>true")).join("\n"));
  });
  return { addresses: found.flat() };
}

async function readGradle(source: ConfigSource): Promise<ToolConfig> {
  const names = ["settings.gradle", "build.gradle"].flatMap((name) => [name, `${name}.kts`]);
  const files = [
    ...names.flatMap((name) => inFolders(source, name)),
    ...inFolders(source, "gradle/wrapper/gradle-wrapper.properties"),
    join(source.home, ".gradle/init.gradle"),
  ];
  const found = await readAll(files, source, (text) => addressesIn(text.replaceAll("\\:", ":")));
  const maven = await readMaven(source);
  return { addresses: [...found.flat(), ...maven.addresses] };
}

async function readGem(source: ConfigSource): Promise<ToolConfig> {
  const files = [
    ...["Gemfile", "Gemfile.lock", ".bundle/config"].flatMap((name) => inFolders(source, name)),
    join(source.home, ".gemrc"),
    join(source.home, ".bundle/config"),
    "/etc/gemrc",
  ];
  const found = await readAll(files, source, (text) => {
    const lines = text.match(/^\s*(?:source\b|remote:|- |:?sources:|BUNDLE_MIRROR).*$/gm) ?? [];
    return addressesIn(lines.join("\n"));
  });
  return { addresses: found.flat() };
}

async function readComposer(source: ConfigSource): Promise<ToolConfig> {
  const own = [".config/composer", ".composer"].map((name) => join(source.home, name, "config.json"));
  const found = await readAll([...inFolders(source, "composer.json"), ...own], source, (text) => {
    const [list = ""] = /"repositories"\s*:\s*(?:\[[^]*?\]|\{[^]*?\}\s*\})/.exec(text) ?? [];
    return addressesIn(list.replaceAll("\\/", "/"));
  });
  return { addresses: found.flat() };
}

async function readApt(source: ConfigSource): Promise<ToolConfig> {
  const folder = "/etc/apt/sources.list.d";
  const names = await source.list(folder);
  const files = ["/etc/apt/sources.list", ...names.map((name) => join(folder, name))];
  const found = await readAll(files, source, (text) =>
    addressesIn((text.match(/^\s*(?:deb(?:-src)?|URIs:)\s.*$/gm) ?? []).join("\n")),
  );
  return { addresses: found.flat() };
}

function inFolders({ folders }: ConfigSource, name: string): string[] {
  return folders.map((folder) => join(folder, name));
}

function isText(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

/** `${NAME}` in a file of npm. */
function expand(text: string, env: ConfigSource["env"]): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => env[name] ?? whole);
}

/** The variables for settings that commands cannot see; lists may have several addresses. */
function hiddenVariables(settings: Readonly<Record<string, Setting | undefined>>): Record<string, string> {
  const hidden = Object.entries(settings).flatMap(([name, setting]): [string, string][] =>
    setting?.isHidden === true ? [[name, setting.value.split(/\s+/).map(withoutCredentials).join(" ")]] : [],
  );
  return Object.fromEntries(hidden);
}
