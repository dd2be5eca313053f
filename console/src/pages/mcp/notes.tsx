import { useText } from "../../i18n/use-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Section } from "../../ui/panel.js";

/** What went wrong or was refused, one sentence each. */
export function Notes({ notes }: { readonly notes: readonly string[] }) {
  const t = useText();
  if (notes.length === 0) return null;
  return (
    <Section title={t("mcp.notes", { n: notes.length })}>
      <ul className="text-xs text-warn">
        {notes.map((note) => (
          <li key={note}>
            <PlainText text={note} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
