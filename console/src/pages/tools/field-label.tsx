import type { ReactNode } from "react";
import { useText } from "../../i18n/use-text.js";
import { PlainText } from "../../text/plain-text.js";

interface FieldTitleProps {
  readonly name: string;
  readonly required: boolean;
  /** From the schema. */
  readonly description: unknown;
}

/** The label of one field; the field of a whole schema has none. */
export function FieldLabel({ id, ...title }: FieldTitleProps & { readonly id: string }) {
  if (title.name === "") return null;
  return (
    <label htmlFor={id} className="mb-0.5 block">
      <FieldTitle {...title} />
    </label>
  );
}

/** Fields that belong together. */
export function FieldGroup({ children, ...title }: FieldTitleProps & { readonly children: ReactNode }) {
  if (title.name === "") return <div className="flex flex-col gap-3">{children}</div>;
  return (
    <fieldset className="flex min-w-0 flex-col items-stretch gap-3 rounded border border-line p-3">
      <legend className="px-1">
        <FieldTitle {...title} description={undefined} />
      </legend>
      <FieldDescription text={title.description} />
      {children}
    </fieldset>
  );
}

function FieldTitle({ name, required, description }: FieldTitleProps) {
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
      <span className="ml-2">
        <FieldDescription text={description} />
      </span>
    </>
  );
}

function FieldDescription({ text }: { readonly text: unknown }) {
  if (typeof text !== "string") return null;
  return (
    <span className="text-xs text-muted">
      <PlainText text={text} />
    </span>
  );
}
