import { text, useAddress } from "../../address.js";
import type { EndpointView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import type { PageProps } from "../../load-page.js";
import { PlainText } from "../../text/plain-text.js";
import { CopyButton } from "../../ui/copy-button.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Facts, Panel, Section } from "../../ui/panel.js";
import { TabView } from "../../ui/tab-view.js";
import { endpointsText } from "./text.js";

const params = { host: text() };

/** Where MCP hosts connect, what they are offered there, and what to put into the configuration of each host. */
export default function EndpointsPage({ id = "" }: PageProps) {
  const t = usePageText(endpointsText);
  const { href } = useAddress("endpoints", params);
  const endpoints = useApi<readonly EndpointView[]>("/api/endpoints", { everyMs: 10_000 });
  const shown = endpoints.data?.find(({ name }) => name === id);
  return (
    <div className="flex flex-col gap-3">
      <FaultNote fault={endpoints.error} />
      <nav aria-label={t("endpoints")} className="flex flex-wrap gap-2">
        {endpoints.data?.map(({ name }) => (
          <a
            key={name}
            href={href(name === "" ? undefined : name)}
            aria-current={name === id ? "true" : undefined}
            className="rounded border border-line bg-panel px-2.5 py-1 font-mono text-xs hover:bg-sunk aria-[current=true]:border-accent aria-[current=true]:text-accent"
          >
            {name === "" ? "/mcp" : `/mcp/${name}`}
          </a>
        ))}
      </nav>
      {endpoints.data !== undefined && shown === undefined && <Empty>{t("unknown")}</Empty>}
      {shown !== undefined && <Endpoint endpoint={shown} />}
      <p className="text-xs text-muted">{t("more")}</p>
    </div>
  );
}

function Endpoint({ endpoint }: { readonly endpoint: EndpointView }) {
  const t = usePageText(endpointsText);
  const { values, set } = useAddress("endpoints", params);
  const { url, toolset, servers, prompts, native, listing, limits = {}, rules, hosts } = endpoint;
  const list = (names: readonly string[] | undefined): string =>
    names === undefined ? t("all") : names.join(", ") || t("none");
  const limited = (["perMinute", "perHour", "perDay"] as const).flatMap((per) => {
    const n = limits[per];
    return n === undefined ? [] : [t(per, { n })];
  });
  return (
    <>
      <Panel title={endpoint.name === "" ? "/mcp" : `/mcp/${endpoint.name}`}>
        <Facts
          rows={[
            [
              t("address"),
              <span key="url" className="font-mono">
                <PlainText text={url} line /> <CopyButton text={url} name={t("address")} />
              </span>,
            ],
            [t("toolset"), toolset ?? t("preset")],
            [t("servers"), list(servers)],
            [t("prompts"), list(prompts)],
            [t("native"), native === undefined ? t("preset") : list(native)],
            [t("listing"), listing ?? t("preset")],
            [t("limits"), limited.join(", ") || t("none")],
            [t("rules"), String(rules)],
          ]}
        />
      </Panel>
      <Panel title={t("connect")}>
        <TabView
          label={t("connect")}
          value={values.host}
          onChange={(host) => set({ host }, { replace: true })}
          tabs={hosts.map((host) => ({
            id: host.host,
            title: host.title,
            content: <Snippet snippet={host} />,
          }))}
        />
      </Panel>
    </>
  );
}

function Snippet({ snippet }: { readonly snippet: EndpointView["hosts"][number] }) {
  const t = usePageText(endpointsText);
  const { title, file, projectFile, text: content, command, note } = snippet;
  const name = t("snippet", { host: title });
  return (
    <>
      <Facts
        rows={[
          [t("file"), <code key="file">{file}</code>],
          [t("projectFile"), projectFile && <code key="project">{projectFile}</code>],
          [
            t("command"),
            command && (
              <span key="command">
                <code>{command}</code> <CopyButton text={command} name={t("command")} />
              </span>
            ),
          ],
          [t("note"), note],
        ]}
      />
      <Section title={name} actions={<CopyButton text={content} name={name} />}>
        <pre
          className="overflow-auto rounded border border-line bg-sunk p-2 text-xs"
          tabIndex={0}
          role="region"
          aria-label={name}
        >
          {content}
        </pre>
      </Section>
    </>
  );
}
