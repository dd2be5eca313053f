import { useId } from "react";
import { useText } from "../../i18n/use-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Button } from "../../ui/button.js";
import { JsonField } from "./json-field.js";
import { SimpleField } from "./simple-field.js";
import { firstValue, type FormSchema, isSchema, kindOf, membersOf, resolveSchema } from "./schema-kind.js";

export interface FieldProps {
  readonly name: string;
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
          label={props.name}
          value={props.value}
          onChange={props.onChange}
          onBroken={(broken) => props.onBroken(props.path, broken)}
        />
      ) : (
        <SimpleField
          id={id}
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

function ObjectField({
  name,
  schema,
  root,
  value,
  onChange,
  onBroken,
  path,
  required,
}: FieldProps & { schema: FormSchema }) {
  const current = isSchema(value) ? value : {};
  const set = (key: string, next: unknown) => {
    const { [key]: _before, ...rest } = current;
    onChange(next === undefined ? rest : { ...rest, [key]: next });
  };
  const fields = membersOf(schema).map((member) => (
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
  ));
  if (name === "") return <div className="flex flex-col gap-3">{fields}</div>;
  return (
    <fieldset className="flex flex-col gap-3 rounded border border-line p-3">
      <legend className="px-1">
        <FieldTitle name={name} required={required} />
      </legend>
      {fields}
    </fieldset>
  );
}

function ListField({
  name,
  schema,
  root,
  value,
  onChange,
  onBroken,
  path,
  required,
}: FieldProps & { schema: FormSchema }) {
  const t = useText();
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const put = (at: number, next: unknown) =>
    onChange(items.map((item, index) => (index === at ? next : item)));
  return (
    <fieldset className="rounded border border-line p-3">
      <legend className="px-1">
        <FieldTitle name={name} required={required} />
      </legend>
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
            <Button
              look="quiet"
              aria-label={t("tools.remove", { name: `${name} ${at + 1}` })}
              onClick={() =>
                onChange(
                  items.length === 1 && !required ? undefined : items.filter((_, index) => index !== at),
                )
              }
            >
              ✕
            </Button>
          </li>
        ))}
      </ol>
      <Button className="mt-2" onClick={() => onChange([...items, firstItem(schema["items"], root)])}>
        {t("tools.add")}
      </Button>
    </fieldset>
  );
}

function firstItem(schema: unknown, root: FormSchema): unknown {
  const resolved = resolveSchema(schema, root);
  return firstValue(resolved, root) ?? (resolved["type"] === "string" ? "" : null);
}

function FieldLabel(props: {
  readonly id: string;
  readonly name: string;
  readonly required: boolean;
  readonly description: unknown;
}) {
  if (props.name === "") return null;
  return (
    <label htmlFor={props.id} className="mb-0.5 block">
      <FieldTitle name={props.name} required={props.required} />
      {typeof props.description === "string" && (
        <span className="ml-2 text-xs text-muted">
          <PlainText text={props.description} />
        </span>
      )}
    </label>
  );
}

function FieldTitle({ name, required }: { readonly name: string; readonly required: boolean }) {
  const t = useText();
  return (
    <>
      <span className="font-mono text-xs font-semibold">
        <PlainText text={name} line />
      </span>
      {required && (
        <span className="ml-1 text-xs text-bad" title={t("tools.required")}>
          *<span className="sr-only">{t("tools.required")}</span>
        </span>
      )}
    </>
  );
}
