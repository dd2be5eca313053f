import { isListed, type ListedChange } from "./listed-change.js";

/** A part of a result that is shown as what it is. */
export type ResultPart =
  | { readonly kind: "changes"; readonly changes: readonly ListedChange[] }
  | { readonly kind: "diff"; readonly text: string }
  | { readonly kind: "terminal"; readonly name: string; readonly text: string }
  | { readonly kind: "markdown"; readonly name: string; readonly text: string }
  | { readonly kind: "text"; readonly name: string; readonly text: string }
  | { readonly kind: "image"; readonly source: string }
  | {
      readonly kind: "table";
      readonly name: string;
      readonly rows: readonly Readonly<Record<string, unknown>>[];
    }
  | { readonly kind: "rest"; readonly value: unknown };

type Members = Readonly<Record<string, unknown>>;

const terminalNames = /^(?:stdout|stderr|output|combined_output)$/;
const imageType = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
const maxImage = 20_000_000;

/** Take a result apart into what has a look of its own, and the rest. @param isTable Whether a value fits a table. */
export function resultParts(
  value: unknown,
  isTable: (value: unknown) => value is readonly Members[],
): readonly ResultPart[] {
  if (isTable(value)) return [{ kind: "table", name: "", rows: value }];
  if (typeof value === "string") return [{ kind: "text", name: "", text: value }];
  const blocks = contentBlocks(value);
  if (blocks !== undefined) return blocks;
  if (!isMembers(value)) return [{ kind: "rest", value }];
  const parts: ResultPart[] = [];
  const rest: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const part =
      partOf(name, member, value) ??
      (isTable(member) && member.length > 1 ? tableOf(name, member) : undefined);
    if (part === undefined) rest[name] = member;
    else parts.push(part);
  }
  return Object.keys(rest).length === 0 ? parts : [...parts, { kind: "rest", value: rest }];
}

function partOf(name: string, member: unknown, whole: Members): ResultPart | undefined {
  if (name === "changes" && Array.isArray(member) && member.length > 0 && member.every(isListed))
    return { kind: "changes", changes: member };
  if (typeof member !== "string" || member === "") return undefined;
  if (name === "diff" || (name === "patch" && member.startsWith("---")))
    return { kind: "diff", text: member };
  if (terminalNames.test(name)) return { kind: "terminal", name, text: member };
  if (name === "markdown" || (name === "content" && isMarkdown(whole["path"] ?? whole["file"])))
    return { kind: "markdown", name, text: member };
  if (name === "data" || name === "base64") {
    const image = imageOf(member, mediaType(whole));
    if (image !== undefined) return image;
  }
  if (member.length > 200 || member.includes("\n")) return { kind: "text", name, text: member };
  return undefined;
}

function mediaType(whole: Members): string {
  return String(whole["mimeType"] ?? whole["media_type"] ?? whole["mime_type"]);
}

function isMarkdown(path: unknown): boolean {
  return typeof path === "string" && /\.(?:md|markdown)$/i.test(path);
}

/** The content of an MCP result. */
function contentBlocks(value: unknown): readonly ResultPart[] | undefined {
  const content = Array.isArray(value) ? value : isMembers(value) ? value["content"] : undefined;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  if (!content.every((block) => isMembers(block) && typeof block["type"] === "string")) return undefined;
  const shown = (content as readonly Members[]).map((block): ResultPart => {
    if (block["type"] === "text" && typeof block["text"] === "string")
      return { kind: "text", name: "", text: block["text"] };
    if (block["type"] === "image" && typeof block["data"] === "string")
      return imageOf(block["data"], String(block["mimeType"])) ?? { kind: "rest", value: block };
    return { kind: "rest", value: block };
  });
  if (!isMembers(value)) return shown;
  const { content: _content, ...rest } = value;
  return Object.keys(rest).length === 0 ? shown : [...shown, { kind: "rest", value: rest }];
}

function imageOf(data: string, type: string): ResultPart | undefined {
  if (!imageType.test(type) || data.length > maxImage || !/^[A-Za-z0-9+/=\s]+$/.test(data)) return undefined;
  return { kind: "image", source: `data:${type};base64,${data}` };
}

function tableOf(name: string, rows: readonly Members[]): ResultPart {
  return { kind: "table", name, rows };
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
