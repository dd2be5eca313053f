import { isRecord } from "../contract/is-record.js";

/** A list is one setting. A name with a dot stands in quotes. */
const plainName = /^[\w-]+$/;

/** The settings that a configuration has, such as `sandbox.layers.enabled`. @param besides Left out where this one has the same. */
export function settingPaths(config: unknown, besides?: unknown): string[] {
  const paths: string[] = [];
  collect(config, besides, "");
  return paths;

  function collect(value: unknown, other: unknown, path: string): void {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(other)) return;
    if (!isRecord(value)) {
      paths.push(path);
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      const name = plainName.test(key) ? key : JSON.stringify(key);
      collect(member, isRecord(other) ? other[key] : undefined, path === "" ? name : `${path}.${name}`);
    }
  }
}
