import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/request.js";
import type { McpOffersView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { PlainText } from "../../text/plain-text.js";
import { ResultView } from "../../text/result-view.js";
import { WordBadge } from "../../ui/badge.js";
import { Button } from "../../ui/button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Section } from "../../ui/panel.js";
import { mcpText } from "./text.js";

interface OffersProps {
  /** The address of the server in the API. */
  readonly path: string;
  readonly server: string;
}

/** The resources and prompts of a server, to read and to fill in. */
export function Offers({ path, server }: OffersProps) {
  const text = usePageText(mcpText);
  const offers = useApi<McpOffersView>(`${path}/offers`);
  const { resources = [], templates = [], prompts = [] } = offers.data ?? {};
  return (
    <>
      <FaultNote fault={offers.error} />
      {resources.length + templates.length > 0 && (
        <Section title={text("resources", { n: resources.length + templates.length })}>
          <ul className="flex flex-col gap-1 text-xs">
            {resources.slice(0, maxShown).map((one) => (
              <Resource key={one.uri} path={path} uri={one.uri} description={one.description} />
            ))}
            {templates.slice(0, maxShown).map((one) => (
              <Resource
                key={one.uriTemplate}
                path={path}
                uri={one.uriTemplate}
                description={one.description}
                isTemplate
              />
            ))}
          </ul>
        </Section>
      )}
      {prompts.length > 0 && (
        <Section title={text("prompts", { n: prompts.length })}>
          <ul className="flex flex-col gap-1 text-xs">
            {prompts.slice(0, maxShown).map((prompt) => (
              <Prompt key={prompt.name} path={path} prompt={prompt} server={server} />
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

const maxShown = 200;

interface ResourceProps {
  readonly path: string;
  readonly uri: string;
  readonly description: string | undefined;
  readonly isTemplate?: boolean;
}

function Resource({ path, uri, description = "", isTemplate = false }: ResourceProps) {
  const text = usePageText(mcpText);
  const [address, setAddress] = useState(uri);
  const read = useMutation({
    mutationFn: () =>
      change<{ readonly contents: readonly { readonly text?: string }[] }>("POST", `${path}/resource`, {
        uri: address,
      }),
  });
  return (
    <li>
      <div className="flex flex-wrap items-center gap-2">
        {isTemplate ? (
          <input
            className="field min-w-0 flex-1 font-mono"
            aria-label={text("address", { uri })}
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        ) : (
          <code className="wrap-anywhere">
            <PlainText text={uri} line />
          </code>
        )}
        <span className="min-w-0 flex-1 text-muted">
          <PlainText text={description} line />
        </span>
        <Button
          aria-label={`${text("read")}: ${uri}`}
          disabled={read.isPending}
          onClick={() => read.mutate()}
        >
          {text("read")}
        </Button>
      </div>
      <FaultNote fault={read.error} />
      {read.data?.contents.map((one, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- one address may have several contents
        <ResultView key={at} value={one.text ?? one} label={uri} />
      ))}
    </li>
  );
}

interface FilledPrompt {
  readonly messages: readonly { readonly role: string; readonly content: { readonly text?: string } }[];
}

interface PromptProps {
  readonly path: string;
  readonly prompt: McpOffersView["prompts"][number];
  readonly server: string;
}

function Prompt({ path, prompt, server }: PromptProps) {
  const text = usePageText(mcpText);
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const fill = useMutation({
    mutationFn: () => change<FilledPrompt>("POST", `${path}/prompt`, { name: prompt.name, arguments: given }),
  });
  const name = prompt.name.slice(server.length + 2);
  return (
    <li>
      <form
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          fill.mutate();
        }}
      >
        <code className="font-semibold">
          <PlainText text={name} line />
        </code>
        <span className="min-w-0 flex-1 basis-48 text-muted">
          <PlainText text={prompt.description ?? ""} line />
        </span>
        {prompt.arguments?.map((one) => (
          <label key={one.name} className="flex items-center gap-1">
            <PlainText text={one.name} line />
            <input
              className="field"
              required={one.required === true}
              title={one.description}
              value={given[one.name] ?? ""}
              onChange={(event) => setGiven({ ...given, [one.name]: event.target.value })}
            />
          </label>
        ))}
        <Button type="submit" aria-label={`${text("fill")}: ${name}`} disabled={fill.isPending}>
          {text("fill")}
        </Button>
      </form>
      <FaultNote fault={fill.error} />
      {fill.data?.messages.map(({ role, content }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- messages have no other identity
        <div key={at} className="mt-1">
          <WordBadge word={role} tone="plain" />
          <ResultView value={content.text ?? content} label={name} />
        </div>
      ))}
    </li>
  );
}
