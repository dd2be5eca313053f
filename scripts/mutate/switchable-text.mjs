// Writes source text that holds all mutants of a file, each behind a question that says whether it is the active one.

/** The name under which the tests' process finds that question; it records what asks. */
export const question = "__tenonMutant";

/** The text in which `globalThis.__tenonMutant(id)` decides for each mutant between it and the original. */
export function switchableText(text, mutants) {
  const outermostFirst = mutants
    .map((mutant) => ({ ...mutant, ...spanOf(text, mutant) }))
    .sort((a, b) => a.from - b.from || b.to - a.to);
  return render(text, { from: 0, to: text.length, inside: outermostFirst });
}

function render(text, { from, to, inside }) {
  let [result, done] = ["", from];
  for (const [at, mutant] of inside.entries()) {
    // A part of one before it.
    if (mutant.from < done) continue;
    const nested = inside.slice(at + 1).filter((each) => each.to <= mutant.to);
    result += text.slice(done, mutant.from) + choice(mutant, render(text, { ...mutant, inside: nested }));
    done = mutant.to;
  }
  return result + text.slice(done, to);
}

function choice({ id, kind, after }, original) {
  const asks = `globalThis.${question}?.(${id})`;
  if (kind === "method")
    return `[${asks} ? ${JSON.stringify(after)} : ${JSON.stringify(original.replace(".", ""))}]`;
  const isStatement = kind === "statement" && /;\s*$/u.test(after);
  return isStatement
    ? `{ if (${asks}) { ${after} } else { ${original} } }`
    : `(${asks} ? (${after}) : (${original}))`;
}

/** The name of a method goes with the dot before it, which gives way to brackets; the question mark of `?.` stays with the dot. */
function spanOf(text, { start, end, kind }) {
  return { from: kind === "method" && text[start - 2] !== "?" ? start - 1 : start, to: end };
}
