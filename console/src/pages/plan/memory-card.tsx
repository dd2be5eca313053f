import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { MemoryRow } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { FoldedText } from "../../text/folded-text.js";
import { PlainText } from "../../text/plain-text.js";
import { TimeView } from "../../text/time-view.js";
import { WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { ConfirmButton } from "../../ui/confirm-button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { planText } from "./text.js";

/** One memory, with what can be done about it. */
export function MemoryCard({ memory }: { readonly memory: MemoryRow }) {
  const text = usePageText(planText);
  const client = useQueryClient();
  const [editing, setEditing] = useState(false);
  const path = `/api/memories/${encodeURIComponent(memory.id)}`;
  const onSuccess = () => client.invalidateQueries({ queryKey: ["/api/memories"] });
  const promote = useMutation({
    mutationFn: (kind: "decision" | "pattern") => change("POST", `${path}/promote`, { kind }),
    onSuccess,
  });
  const forget = useMutation({ mutationFn: () => change("DELETE", path), onSuccess });
  const canPromote = memory.kind !== "decision" && memory.kind !== "pattern";
  return (
    <li className="rounded-md border border-line bg-panel p-3 text-xs">
      <p className="flex flex-wrap items-center gap-2">
        <WordBadge word={memory.kind} tone="info" />
        <WordBadge word={memory.scope} tone="plain" />
        {memory.status !== undefined && <WordBadge word={memory.status} />}
        <span className="font-medium wrap-anywhere">
          <PlainText text={memory.title} line />
        </span>
        <span className="ml-auto text-muted">
          <TimeView time={memory.createdAt} exact={false} />
        </span>
      </p>
      {editing ? (
        <MemoryForm memory={memory} onDone={() => setEditing(false)} />
      ) : (
        <p className="mt-1 wrap-anywhere whitespace-pre-wrap">
          <FoldedText text={memory.content} limit={2000} />
        </p>
      )}
      {memory.tags.length > 0 && (
        <p className="mt-1 text-muted">
          {memory.tags.map((tag) => (
            <span key={tag} className="mr-2">
              #<PlainText text={tag} line />
            </span>
          ))}
        </p>
      )}
      <FaultNote fault={promote.error ?? forget.error} />
      {!editing && (
        <p className="mt-2 flex flex-wrap gap-1">
          <Button onClick={() => setEditing(true)}>{text("edit")}</Button>
          {canPromote && (
            <Button onClick={() => promote.mutate("decision")}>{text("promoteDecision")}</Button>
          )}
          {canPromote && <Button onClick={() => promote.mutate("pattern")}>{text("promotePattern")}</Button>}
          <ConfirmButton
            label={text("forget")}
            of={memory.title}
            question={text("forgetSure", { title: memory.title })}
            disabled={forget.isPending}
            onConfirm={() => forget.mutate()}
          />
        </p>
      )}
    </li>
  );
}

function MemoryForm({ memory, onDone }: { readonly memory: MemoryRow; readonly onDone: () => void }) {
  const t = useText();
  const text = usePageText(planText);
  const client = useQueryClient();
  const [title, setTitle] = useState(memory.title);
  const [content, setContent] = useState(memory.content);
  const [tags, setTags] = useState(memory.tags.join(", "));
  const save = useMutation({
    mutationFn: () =>
      change("PUT", `/api/memories/${encodeURIComponent(memory.id)}`, {
        title,
        content,
        tags: tags
          .split(",")
          .map((tag) => tag.trim())
          .filter(Boolean),
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["/api/memories"] });
      onDone();
    },
  });
  return (
    <form
      className="mt-2 flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <input
        className="field"
        aria-label={text("title")}
        value={title}
        required
        onChange={(event) => setTitle(event.target.value)}
      />
      <textarea
        className="field"
        aria-label={text("content")}
        rows={6}
        value={content}
        required
        onChange={(event) => setContent(event.target.value)}
      />
      <input
        className="field"
        aria-label={text("tags")}
        placeholder={text("tags")}
        value={tags}
        onChange={(event) => setTags(event.target.value)}
      />
      <FaultNote fault={save.error} />
      <p className="flex gap-2">
        <Button look="main" type="submit" disabled={save.isPending}>
          {text("save")}
        </Button>
        <Button onClick={onDone}>{t("cancel")}</Button>
      </p>
    </form>
  );
}
