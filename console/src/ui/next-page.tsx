import { usePageText, definePageText } from "../i18n/page-text.js";
import { Button } from "./button.js";

const text = definePageText({ first: "First page", next: "Next page" }, { first: "第一页", next: "下一页" });

interface NextPageProps {
  /** What the page begins after; "" for the first. */
  readonly after: string;
  /** What the next page begins after; `undefined` where this is the last. */
  readonly next: string | undefined;
  readonly onGo: (after: string) => void;
}

/** Leads through a long list; the back button of the browser leads back. */
export function NextPage({ after, next, onGo }: NextPageProps) {
  const t = usePageText(text);
  if (after === "" && next === undefined) return null;
  return (
    <p className="mt-2 flex gap-2">
      {after !== "" && <Button onClick={() => onGo("")}>{t("first")}</Button>}
      {next !== undefined && <Button onClick={() => onGo(next)}>{t("next")}</Button>}
    </p>
  );
}
