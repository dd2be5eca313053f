/** What instructions to a model look like where a description should be. */
const signs: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|other|system)\b/i,
    "tells the model to ignore something",
  ],
  [
    /<\s*\/?\s*(?:important|system|instructions?|secret|admin|assistant|user|prompt)\b[^>\n]{0,80}>/i,
    "contains a tag that looks like part of a prompt",
  ],
  [
    /\b(?:do not|don't|never|without)\s+(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|show|showing|notify|notifying|ask|asking)\b[^.\n]{0,40}\b(?:user|person|human|anyone|anybody)\b/i,
    "asks to keep something from the person",
  ],
  [
    /\b(?:before|prior to|instead of|after)\s+(?:using|calling|invoking|running)\s+(?:this|any|every|all|another|other|the)\b/i,
    "says what to do around other calls",
  ],
  [
    /\b(?:always|must|should)\s+(?:first\s+)?(?:call|use|invoke|run|read|send|pass|include)\b[^.\n]{0,60}\b(?:file|tool|content|conversation|history|secret|token|key|password|prompt)/i,
    "gives orders about files, tools or secrets",
  ],
  [
    /(?:~\/\.|\.ssh\b|id_rsa|id_ed25519|\.env\b|\.aws\b|mcp\.json|\/etc\/passwd|credentials?\.json|\.npmrc|\.netrc)/i,
    "names files that contain secrets",
  ],
  [
    /\b(?:system prompt|chain of thought|conversation history|previous messages)\b/i,
    "asks about the model's own conversation",
  ],
  [
    /\b(?:you are|act as|pretend to be)\s+(?:now\s+)?(?:an?|the)\s+(?:ai|assistant|admin|system|developer|root)/i,
    "gives the model a role",
  ],
  [
    /\bsidenote\b|\bthis (?:tool|step) is (?:required|mandatory) (?:before|for) (?:every|any|all)\b/i,
    "claims to be needed for everything",
  ],
  [/[A-Za-z0-9+/]{200,}={0,2}/, "contains a long run of encoded text"],
];

/** Why a text looks as if it spoke to the model rather than described a tool. */
export function flagText(text: string): readonly string[] {
  // The signs are looked for in a bounded text only; each of them is linear in it.
  const looked = text.slice(0, 20_000);
  return signs.flatMap(([sign, what]) => (sign.test(looked) ? [what] : []));
}
