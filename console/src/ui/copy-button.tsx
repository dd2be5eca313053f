import { useEffect, useState } from "react";
import { useText } from "../i18n/use-text.js";
import { Button } from "./button.js";

/** Puts a text into the clipboard, and says so. */
export function CopyButton({ text, name }: { readonly text: string; readonly name: string }) {
  const t = useText();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    setCopied(true);
  };
  return (
    <Button
      look="quiet"
      small
      aria-label={copied ? undefined : t("copy.of", { name })}
      onClick={() => void copy()}
    >
      {copied ? t("copied") : t("copy")}
    </Button>
  );
}
