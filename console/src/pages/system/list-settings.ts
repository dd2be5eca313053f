import type { ConfigurationView } from "../../api/types.js";

export interface ShownSetting {
  /** Such as `sandbox.layers.enabled`. */
  readonly path: string;
  readonly value: unknown;
  /** Of the strongest source that has it. */
  readonly kind: string;
  readonly file?: string | undefined;
}

const plainName = /^[\w-]+$/;

/** All settings in force, each with the strongest source that has it. */
export function listSettings({ settings, sources }: ConfigurationView): readonly ShownSetting[] {
  const known = sources.map((source) => ({ ...source, paths: new Set(source.settings) }));
  const rows: ShownSetting[] = [];
  const add = (value: unknown, path: string) => {
    const isMap =
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.keys(value).length > 0 &&
      !known.some(({ paths }) => paths.has(path));
    if (isMap)
      for (const [key, member] of Object.entries(value)) {
        const name = plainName.test(key) ? key : JSON.stringify(key);
        add(member, path === "" ? name : `${path}.${name}`);
      }
    else {
      const source = known.find(({ paths }) => paths.has(path)) ?? { kind: "default", file: undefined };
      rows.push({ path, value, kind: source.kind, file: source.file });
    }
  };
  add(settings, "");
  return rows.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
