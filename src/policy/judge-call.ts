import type { AccessDecision } from "../contract/call.js";
import type { PolicyMode } from "./default-verdict.js";
import { facetsOf, wholeCall, type Facet } from "./facets.js";
import { judgeFacet, type JudgeInput } from "./judge-facet.js";
import type { PathSpace } from "./path-space.js";
import type { PolicyCall } from "./policy-call.js";
import type { Subject } from "./subjects.js";
import { isStricter, toDecision, type Verdict } from "./verdict.js";

/** Judge a call by the rules and defaults: the strictest verdict on anything it touches counts. */
export function judgeCall(
  call: PolicyCall,
  subject: Subject,
  { space, mode }: { readonly space: PathSpace; readonly mode: PolicyMode },
): AccessDecision {
  if (!isBare(call, subject)) return judge({ call, facets: facetsOf(call, space), subject, mode });
  subject.bare ??= Object.freeze(judge({ call, facets: wholeCall, subject, mode }));
  return subject.bare;
}

function judge(bench: JudgeInput): AccessDecision {
  let worst: Verdict | undefined;
  let about: Facet | undefined;
  for (const facet of bench.facets) {
    const verdict = judgeFacet(facet, bench);
    if (verdict === undefined || (worst !== undefined && !isStricter(verdict, worst))) continue;
    worst = verdict;
    about = facet;
    if (verdict.behavior === "deny") break;
  }
  // Nothing that the call touches needed a verdict of its own: the call as such is judged.
  if (worst === undefined || about === undefined) return judge({ ...bench, facets: wholeCall });
  return toDecision(worst, bench.call.toolName, about);
}

/** Nothing in the call can change the verdict that its tool and caller got before. */
function isBare(call: PolicyCall, subject: Subject): boolean {
  if (call.commands !== undefined || subject.opaque) return false;
  const { reads, writes } = call;
  return !writes.some(isJudged) && !reads.some(subject.resourceRules ? isJudged : isHost);
}

function isJudged(resource: PolicyCall["reads"][number]): boolean {
  return "path" in resource || "tree" in resource || "host" in resource;
}

function isHost(resource: PolicyCall["reads"][number]): boolean {
  return "host" in resource;
}
