import { useId } from "react";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { Button } from "../../ui/button.js";
import { FieldGroup, FieldLabel } from "./field-label.js";
import { JsonField } from "./json-field.js";
import { SimpleField } from "./simple-field.js";
import {
  firstValue,
  type FormSchema,
  isSchema,
  kindOf,
  membersOf,
  resolveSchema,
  takesMore,
} from "./schema-kind.js";
import { formText } from "./text.js";
import { keyProblem, type Pair, usePairs } from "./use-pairs.js";

export interface FieldProps {
  readonly name: string;
  /** Says what it is where no name stands above it. @default the name */
  readonly label?: string;
  readonly schema: unknown;
  /** The whole schema, for references. */
  readonly root: FormSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onBroken: (path: string, broken: boolean) => void;
  readonly path: string;
  readonly required: boolean;
}

const deepest = 6;

/** The field for any schema: lists and objects contain further ones. */
export function SchemaField(props: FieldProps) {
  const schema = resolveSchema(props.schema, props.root);
  const kind = props.path.split(".").length > deepest ? "raw" : kindOf(schema);
  const id = useId();
  if (kind === "object") return <ObjectField {...props} schema={schema} />;
  if (kind === "list") return <ListField {...props} schema={schema} />;
  return (
    <div>
      <FieldLabel id={id} name={props.name} required={props.required} description={schema["description"]} />
      {kind === "raw" ? (
        <JsonField
          label={props.label ?? props.name}
          value={props.value}
          onChange={props.onChange}
          onBroken={(broken) => props.onBroken(props.path, broken)}
        />
      ) : (
        <SimpleField
          id={id}
          label={props.label}
          kind={kind}
          schema={schema}
          value={props.value}
          onChange={props.onChange}
          required={props.required}
        />
      )}
    </div>
  );
}

type GroupProps = FieldProps & { readonly schema: FormSchema };

function ObjectField(props: GroupProps) {
  const { name, schema, root, value, onChange, onBroken, path, required } = props;
  const current = isSchema(value) ? value : {};
  const members = membersOf(schema);
  const named = new Set(members.map((member) => member.name));
  const set = (key: string, next: unknown) => {
    const { [key]: _before, ...rest } = current;
    onChange(next === undefined ? rest : { ...rest, [key]: next });
  };
  return (
    <FieldGroup name={name} required={required} description={schema["description"]}>
      {members.map((member) => (
        <SchemaField
          key={member.name}
          name={member.name}
          schema={member.schema}
          root={root}
          value={Object.hasOwn(current, member.name) ? current[member.name] : undefined}
          onChange={(next) => set(member.name, next)}
          onBroken={onBroken}
          path={`${path}.${member.name}`}
          required={member.required}
        />
      ))}
      {takesMore(schema) && (
        <MapRows
          {...props}
          name={members.length === 0 ? name : `${name}.*`}
          value={Object.fromEntries(Object.entries(current).filter(([key]) => !named.has(key)))}
          onChange={(more) => {
            const kept = Object.entries(current).filter(([key]) => named.has(key));
            const next = Object.fromEntries([...kept, ...Object.entries(more)]);
            onChange(Object.keys(next).length === 0 && !required ? undefined : next);
          }}
        />
      )}
    </FieldGroup>
  );
}

/** Members whose names are free: each with its name and its value. */
function MapRows(
  props: Omit<GroupProps, "value" | "onChange"> & {
    readonly value: Readonly<Record<string, unknown>>;
    readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
  },
) {
  const { name, schema, root, onBroken, path } = props;
  const t = useText();
  const own = usePageText(formText);
  const [pairs, setPairs] = usePairs(props.value, (next, isBroken) => {
    onBroken(`${path}.*`, isBroken);
    if (!isBroken) props.onChange(next);
  });
  const item = schema["additionalProperties"];
  const put = (at: number, pair: Pair) => setPairs(pairs.map((each, index) => (index === at ? pair : each)));
  return (
    <>
      {pairs.map(([key, member], at) => {
        const problem = keyProblem(pairs, at);
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the name changes while it is typed
          <div key={at} className="grid items-start gap-2 sm:grid-cols-[12rem_1fr_auto]">
            <div>
              <input
                className="field w-full font-mono text-xs aria-invalid:border-bad"
                aria-label={own("key", { name, n: at + 1 })}
                placeholder={own("keyName")}
                aria-invalid={problem !== undefined}
                spellCheck={false}
                value={key}
                onChange={(event) => put(at, [event.target.value, member])}
              />
              {problem === "twice" && <p className="text-xs text-bad">{own("keyTwice")}</p>}
            </div>
            <SchemaField
              name=""
              label={own("valueOf", { key: key === "" ? String(at + 1) : key })}
              schema={item}
              root={root}
              value={member}
              onChange={(next) => put(at, [key, next ?? firstItem(item, root)])}
              onBroken={onBroken}
              path={`${path}.*${at}`}
              required
            />
            <RemoveButton
              name={key === "" ? `${name} ${at + 1}` : key}
              onRemove={() => setPairs(pairs.filter((_, index) => index !== at))}
            />
          </div>
        );
      })}
      <Button className="self-start" onClick={() => setPairs([...pairs, ["", firstItem(item, root)]])}>
        {t("tools.add")}
      </Button>
    </>
  );
}

function ListField({ name, schema, root, value, onChange, onBroken, path, required }: GroupProps) {
  const t = useText();
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const put = (at: number, next: unknown) =>
    onChange(items.map((item, index) => (index === at ? next : item)));
  const remove = (at: number) =>
    onChange(items.length === 1 && !required ? undefined : items.filter((_, index) => index !== at));
  return (
    <FieldGroup name={name} required={required} description={schema["description"]}>
      {items.length > 0 && (
        <ol className="flex flex-col gap-2">
          {items.map((item, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- an item's place is its identity
            <li key={at} className="flex items-start gap-2">
              <div className="min-w-0 flex-1">
                <SchemaField
                  name={`${name} ${at + 1}`}
                  schema={schema["items"]}
                  root={root}
                  value={item}
                  onChange={(next) => put(at, next ?? null)}
                  onBroken={onBroken}
                  path={`${path}.${at}`}
                  required
                />
              </div>
              <RemoveButton name={`${name} ${at + 1}`} onRemove={() => remove(at)} />
            </li>
          ))}
        </ol>
      )}
      <Button className="self-start" onClick={() => onChange([...items, firstItem(schema["items"], root)])}>
        {t("tools.add")}
      </Button>
    </FieldGroup>
  );
}

function RemoveButton({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }) {
  const t = useText();
  return (
    <Button
      look="quiet"
      className="justify-self-end"
      aria-label={t("tools.remove", { name })}
      onClick={onRemove}
    >
      ✕
    </Button>
  );
}

function firstItem(schema: unknown, root: FormSchema): unknown {
  const resolved = resolveSchema(schema, root);
  return firstValue(resolved, root) ?? (resolved["type"] === "string" ? "" : null);
}
