// A picture of a page with a palette of 256 colors: a third of the size that a browser writes.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** @param {Buffer} png As Chromium writes it: 8 bits a channel, without interlacing. */
export function toSmallPng(png) {
  const { width, height, channels, pixels } = decode(png);
  const { palette, indexOf } = choosePalette(pixels, channels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = indexOf(colorAt(pixels, (y * width + x) * channels));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  const parts = [
    chunk("IHDR", header),
    chunk("PLTE", colors),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
  ];
  return Buffer.concat([signature, ...parts, chunk("IEND", Buffer.alloc(0))]);
}

function colorAt(pixels, at) {
  return (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
}

/** The most common colors, and those that are least like any of them; another one is drawn as the nearest. */
function choosePalette(pixels, channels) {
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += channels) {
    const color = colorAt(pixels, at);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const colors = [...counts].sort(([, a], [, b]) => b - a).map(([color]) => color);
  const palette = colors.slice(0, 160);
  const rest = colors.slice(160).map((color) => ({
    color,
    far: Math.min(...palette.map((each) => distance(each, color))),
  }));
  while (palette.length < 256 && rest.length > 0) {
    const next = rest.reduce((best, each) => (each.far > best.far ? each : best));
    palette.push(next.color);
    for (const each of rest) each.far = Math.min(each.far, distance(each.color, next.color));
  }
  const places = new Map(palette.map((color, at) => [color, at]));
  const indexOf = (color) => {
    const known = places.get(color);
    if (known !== undefined) return known;
    const distances = palette.map((each) => distance(each, color));
    const nearest = distances.indexOf(Math.min(...distances));
    places.set(color, nearest);
    return nearest;
  };
  return { palette, indexOf };
}

function distance(a, b) {
  const [red, green, blue] = [16, 8, 0].map((shift) => ((a >> shift) & 255) - ((b >> shift) & 255));
  return red * red + green * green + blue * blue;
}

function decode(png) {
  let header;
  const data = [];
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") header = body;
    if (type === "IDAT") data.push(body);
    at += length + 12;
  }
  const channels = { 2: 3, 6: 4 }[header[9]];
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  return {
    width,
    height,
    channels,
    pixels: unfilter(inflateSync(Buffer.concat(data)), width * channels, channels),
  };
}

/** Each row was written as the difference to what is left of and above it. */
function unfilter(rows, stride, channels) {
  const height = rows.length / (stride + 1);
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= channels ? pixels[at - channels] : 0;
      const up = y > 0 ? pixels[at - stride] : 0;
      const corner = x >= channels && y > 0 ? pixels[at - stride - channels] : 0;
      pixels[at] =
        rows[y * (stride + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
    }
  }
  return pixels;
}

function paeth(left, up, corner) {
  const [toLeft, toUp, toCorner] = [left, up, corner].map((each) => Math.abs(left + up - corner - each));
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function chunk(type, body) {
  const whole = Buffer.alloc(body.length + 12);
  whole.writeUInt32BE(body.length, 0);
  whole.write(type, 4, "latin1");
  body.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, body.length + 8)), body.length + 8);
  return whole;
}
