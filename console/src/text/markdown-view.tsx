import { marked, type Token, type Tokens } from "marked";
import { type ReactNode, useMemo } from "react";
import { PlainText } from "./plain-text.js";

const maxLength = 200_000;

/**
 * Markdown of any origin. The parser only finds the parts; each is made an element here, so no markup of the text
 * itself reaches the page: HTML in it is shown as it is written, and images are not loaded.
 */
export default function MarkdownView({ text }: { readonly text: string }) {
  const tokens = useMemo(() => marked.lexer(text.slice(0, maxLength)), [text]);
  return <div className="flex flex-col gap-2 text-[13px] wrap-anywhere">{blocks(tokens)}</div>;
}

function blocks(tokens: readonly Token[]): ReactNode {
  // oxlint-disable-next-line react/no-array-index-key -- parts of a text have no other identity
  return tokens.map((token, at) => <Block key={at} token={token} />);
}

const sizes = ["text-base", "text-[15px]", "text-sm", "text-[13px]", "text-[13px]", "text-[13px]"];

function Block({ token }: { readonly token: Token }) {
  switch (token.type) {
    case "space":
      return null;
    case "heading":
      return (
        <p
          role="heading"
          aria-level={4}
          className={`font-semibold ${sizes[(token as Tokens.Heading).depth - 1] ?? ""}`}
        >
          {inline(token.tokens)}
        </p>
      );
    case "code":
      return (
        <pre
          className="overflow-x-auto rounded border border-line bg-sunk p-2 font-mono text-xs"
          tabIndex={0}
        >
          <PlainText text={(token as Tokens.Code).text} />
        </pre>
      );
    case "list":
      return <List token={token as Tokens.List} />;
    case "blockquote":
      return (
        <blockquote className="border-l-2 border-line pl-3 text-muted">
          {blocks(token.tokens ?? [])}
        </blockquote>
      );
    case "table":
      return <MarkdownTable token={token as Tokens.Table} />;
    case "hr":
      return <hr className="border-line" />;
    case "html":
      return (
        <p className="font-mono text-xs whitespace-pre-wrap text-muted">
          <PlainText text={token.raw} />
        </p>
      );
    default:
      return <p>{inline("tokens" in token && token.tokens !== undefined ? token.tokens : [token])}</p>;
  }
}

function List({ token }: { readonly token: Tokens.List }) {
  const items = token.items.map((item, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- an item's place is its identity
    <li key={at}>{blocks(item.tokens)}</li>
  ));
  return token.ordered ? (
    <ol className="list-decimal pl-6">{items}</ol>
  ) : (
    <ul className="list-disc pl-6">{items}</ul>
  );
}

function MarkdownTable({ token }: { readonly token: Tokens.Table }) {
  return (
    <div className="overflow-x-auto" tabIndex={0}>
      <table className="text-xs">
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- a cell's place is its identity
              <th key={at} className="border border-line px-2 py-1 text-left">
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- a row's place is its identity
            <tr key={at}>
              {row.map((cell, place) => (
                // oxlint-disable-next-line react/no-array-index-key -- a cell's place is its identity
                <td key={place} className="border border-line px-2 py-1">
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined): ReactNode {
  // oxlint-disable-next-line react/no-array-index-key -- parts of a text have no other identity
  return (tokens ?? []).map((token, at) => <Inline key={at} token={token} />);
}

function Inline({ token }: { readonly token: Token }) {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return (
        <code className="rounded bg-sunk px-1">
          <PlainText text={(token as Tokens.Codespan).text} />
        </code>
      );
    case "br":
      return <br />;
    case "link":
      return <Link token={token as Tokens.Link} />;
    default:
      if ("tokens" in token && token.tokens !== undefined) return inline(token.tokens);
      return <PlainText text={"text" in token && token.type !== "image" ? String(token.text) : token.raw} />;
  }
}

/** The text of a link may say anything, so its target stands beside it; nothing is opened from here. */
function Link({ token }: { readonly token: Tokens.Link }) {
  return (
    <>
      <span className="underline">{inline(token.tokens)}</span>
      {token.href !== token.text && (
        <span className="text-muted">
          {" "}
          (<PlainText text={token.href} line />)
        </span>
      )}
    </>
  );
}
