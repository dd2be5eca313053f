/* oxlint-disable no-control-regex -- this reads the escape sequences of terminals */
const colors = ["#6e7681", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#c9d1d9"];

/** The lines of a terminal, with their colors, as a picture. */
export function draw(lines, columns) {
  const rows = lines.map((line, at) => `<text x="16" y="${34 + at * 20}">${spans(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${columns * 8.5 + 32}" height="${lines.length * 20 + 32}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<style>text { white-space: pre }</style>
<g fill="#c9d1d9">
${rows.join("\n")}
</g>
</svg>
`;
}

/** Colors and bold; other sequences are left out. */
function spans(line) {
  let style = {};
  return line
    .split(/(\u001b\[[\d;?]*[A-Za-z])/)
    .map((part) => {
      const [, codes] = /^\u001b\[([\d;]*)m$/.exec(part) ?? [];
      if (codes !== undefined) style = codes.split(";").reduce(applyCode, style);
      if (part.startsWith("\u001b")) return "";
      const text = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      const attributes = Object.entries(style).map(([name, value]) => `${name}="${value}"`);
      return attributes.length === 0 || text === "" ? text : `<tspan ${attributes.join(" ")}>${text}</tspan>`;
    })
    .join("");
}

function applyCode(style, code) {
  const number = Number(code);
  const { fill, ...weight } = style;
  if (number === 0) return {};
  if (number === 39) return weight;
  if (number === 22) return fill === undefined ? {} : { fill };
  if (number === 1) return { ...style, "font-weight": "bold" };
  if (number === 2) return { ...style, opacity: "0.7" };
  const bright = number >= 90 && number <= 97;
  if (bright || (number >= 30 && number <= 37))
    return { ...style, fill: colors[number - (bright ? 90 : 30)] };
  return style;
}
