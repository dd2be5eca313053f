import { checkIdentity } from "./check-plugin.js";
import { describeValue, pluginError } from "./plugin-error.js";
import { hookNames, toolMethods, type PluginManifest } from "./protocol.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Check what a plugin's process says of the plugin. It checked the plugin itself, but the plugin's code runs
 * there too and may have said something else; the tools' own rules are the registry's to check.
 */
export function checkManifest(value: unknown, label: string): PluginManifest {
  const manifest = Object(value) as Fields;
  const faults: string[] = [];
  checkIdentity(manifest, faults);
  checkEntries(manifest["tools"], faults, { list: "tools", of: "methods", known: toolMethods });
  checkEntries(manifest["extensions"], faults, { list: "extensions", of: "hooks", known: hookNames });
  if (faults.length > 0) throw pluginError(label, faults);
  return manifest as unknown as PluginManifest;
}

interface Rule {
  readonly list: string;
  readonly of: string;
  readonly known: readonly string[];
}

/** Each entry has a name and says which of the known functions it has. */
function checkEntries(value: unknown, faults: string[], { list, of, known }: Rule): void {
  if (!Array.isArray(value)) {
    faults.push(`"${list}" must be a list, found ${describeValue(value)}`);
    return;
  }
  for (const [at, entry] of value.entries()) {
    const { name, [of]: functions } = Object(entry) as Fields;
    if (typeof name !== "string") faults.push(`${list}[${at}] has no name`);
    if (!Array.isArray(functions) || !functions.every((one) => known.includes(one as string)))
      faults.push(`${list}[${at}] has ${of} that do not exist`);
  }
}
