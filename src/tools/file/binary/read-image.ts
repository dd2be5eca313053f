import type * as Sharp from "sharp";
import { loadOptional } from "./optional-package.js";

/** An image as a model can take it. */
export interface ShownImage {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
}

/** Whether models can look at it, perhaps in another format. */
export function isImage(mime: string): boolean {
  return mime.startsWith("image/");
}

/** Models look at no more pixels than these, and answers should stay small. */
const longestSide = 1568;
const mostOutput = 1024 * 1024;
const mostPixels = 100_000_000;
const timeLimitSeconds = 10;
const shownAsIs = new Set(["png", "jpeg", "gif", "webp"]);

/** Make an image small enough to show; a text that says why not, where that fails. */
export async function readImage(bytes: Uint8Array, signal: AbortSignal): Promise<ShownImage | string> {
  const module = await loadOptional<{ default: typeof Sharp.default }>("sharp");
  if (module === undefined) return 'Images are shown where the package "sharp" is installed.';
  try {
    const open = () => module.default(bytes, { limitInputPixels: mostPixels, failOn: "error" });
    const { width, height, format } = await open().metadata();
    signal.throwIfAborted();
    const small = Math.max(width, height) <= longestSide && bytes.length <= mostOutput;
    if (small && shownAsIs.has(format)) {
      return { data: Buffer.from(bytes).toString("base64"), mimeType: `image/${format}`, width, height };
    }
    return await shrink(open);
  } catch {
    signal.throwIfAborted();
    return "The image cannot be decoded.";
  }
}

async function shrink(open: () => Sharp.Sharp): Promise<ShownImage | string> {
  for (const side of [longestSide, longestSide / 2, longestSide / 4]) {
    const resized = open()
      .rotate()
      .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
      .timeout({ seconds: timeLimitSeconds });
    const encoded = resized.webp({ quality: 80 });
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    if (data.length > mostOutput) continue;
    return {
      data: data.toString("base64"),
      mimeType: "image/webp",
      width: info.width,
      height: info.height,
    };
  }
  return "The image is too large to be shown.";
}
