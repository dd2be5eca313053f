import type * as Sharp from "sharp";
import { loadOptional } from "./optional-package.js";

/** An image in a form that models accept. */
export interface ShownImage {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
}

/** Whether it is an image, which may need conversion to be shown. */
export function isImage(mime: string): boolean {
  return mime.startsWith("image/");
}

/** Models scale larger images down anyway, and results should stay small. */
const maxSide = 1568;
const maxOutputBytes = 1024 * 1024;
const maxPixels = 100_000_000;
const timeLimitSeconds = 10;
const shownAsIs = new Set(["png", "jpeg", "gif", "webp"]);

/** Scale an image down to be shown; returns a message if that fails. */
export async function readImage(bytes: Uint8Array, signal: AbortSignal): Promise<ShownImage | string> {
  const module = await loadOptional<{ default: typeof Sharp.default }>("sharp");
  if (module === undefined) return 'Install the package "sharp" to show images.';
  try {
    const open = () => module.default(bytes, { limitInputPixels: maxPixels, failOn: "error" });
    const { width, height, format } = await open().metadata();
    signal.throwIfAborted();
    const small = Math.max(width, height) <= maxSide && bytes.length <= maxOutputBytes;
    if (small && shownAsIs.has(format)) {
      return { data: Buffer.from(bytes).toString("base64"), mimeType: `image/${format}`, width, height };
    }
    return await shrink(open);
  } catch {
    signal.throwIfAborted();
    return "The image could not be decoded.";
  }
}

async function shrink(open: () => Sharp.Sharp): Promise<ShownImage | string> {
  for (const side of [maxSide, maxSide / 2, maxSide / 4]) {
    const resized = open()
      .rotate()
      .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
      .timeout({ seconds: timeLimitSeconds });
    const encoded = resized.webp({ quality: 80 });
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    if (data.length > maxOutputBytes) continue;
    return {
      data: data.toString("base64"),
      mimeType: "image/webp",
      width: info.width,
      height: info.height,
    };
  }
  return "The image is too large to show.";
}
