import { describeValue, pluginError } from "./plugin-error.js";
import { isThenable } from "../contract/is-thenable.js";

/** The default export of a plugin's module, as an object, or an error that says what was found instead. */
export function defaultExport(exported: unknown, label: string): Readonly<Record<string, unknown>> {
  const value = unwrap(exported);
  if (value === undefined) throw pluginError(label, [missing(exported)]);
  if (isThenable(value)) {
    value.then(undefined, () => undefined);
    throw pluginError(label, ["its default export is a promise; write `export default await …`"]);
  }
  if (typeof value === "function") {
    throw pluginError(label, ["its default export is a function; export what definePlugin returns"]);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw pluginError(label, [`its default export must be a plugin, found ${describeValue(value)}`]);
  }
  return value as Readonly<Record<string, unknown>>;
}

/** CommonJS seen from ESM has its exports under `default`, sometimes twice. */
function unwrap(exported: unknown): unknown {
  if (typeof exported !== "object" || exported === null || !("default" in exported)) return undefined;
  const { default: outer } = exported;
  const wrapped = typeof outer === "object" && outer !== null && "__esModule" in outer && "default" in outer;
  if (wrapped) return outer.default;
  // `module.exports = {}` of a file that exports nothing at all.
  const empty = typeof outer === "object" && outer !== null && Object.keys(outer).length === 0;
  return empty && Object.getPrototypeOf(outer) === Object.prototype ? undefined : outer;
}

function missing(exported: unknown): string {
  const names = Object.keys(Object(exported)).filter(
    (name) => name !== "default" && name !== "module.exports",
  );
  if (names.length === 0) return "its main file exports nothing; write `export default definePlugin({ … })`";
  const likely = names.find((name) => looksLikePlugin((exported as Record<string, unknown>)[name]));
  const advice =
    likely === undefined
      ? "write `export default definePlugin({ … })`"
      : `write \`export default ${likely}\``;
  return `its main file has no default export, only ${names.slice(0, 8).join(", ")}; ${advice}`;
}

function looksLikePlugin(value: unknown): boolean {
  return typeof value === "object" && value !== null && "tools" in value;
}
