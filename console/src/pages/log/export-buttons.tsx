import { useMutation } from "@tanstack/react-query";
import { saveFile, withQuery } from "../../api/request.js";
import { usePageText } from "../../i18n/page-text.js";
import type { SearchFilter } from "../../search/parse-search.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { logText } from "./text.js";

/** Saves all records that fit the search, not only those in view. */
export function ExportButtons({ filter }: { readonly filter: SearchFilter }) {
  const own = usePageText(logText);
  const save = useMutation({
    mutationFn: (format: "jsonl" | "csv") =>
      saveFile(withQuery("/api/log/export", { ...filter, format }), `tenon-log.${format}`),
  });
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Button disabled={save.isPending} onClick={() => save.mutate("jsonl")}>
        {save.isPending ? own("exporting") : own("exportJsonl")}
      </Button>
      <Button disabled={save.isPending} onClick={() => save.mutate("csv")}>
        {own("exportCsv")}
      </Button>
      <FaultNote fault={save.error} />
    </span>
  );
}
