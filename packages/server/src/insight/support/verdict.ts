/** A verdict: the case that the facts about a refused machine look like, and the step to take first. */
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { type CaseFacts, decidingCheck } from './case-facts.ts';
import { VERDICT_RULES } from './verdict-rules.ts';
import type { FirstStep, verdictSchema } from './verdict-views.ts';

/** Remedies that may come first: each gives the machine no more than the license is for. */
const MAY_COME_FIRST: readonly string[] = ['release_activation', 'lift_activation_limit'];

/** The verdict on a case: that of the first rule in the table that finds something. */
export function verdictOn(facts: CaseFacts): ReplyOf<typeof verdictSchema> {
  for (const { code, firstStep, find } of VERDICT_RULES) {
    const finding = find(facts);
    if (finding !== null) return { code, ...finding, firstStep: possibleStep(firstStep, facts) };
  }
  throw new Error('the last rule of verdicts holds for every case');
}

/** The step; a reply to the customer instead of a remedy that would not help or may not come first. */
function possibleStep(step: FirstStep, facts: CaseFacts): FirstStep {
  if (step !== 'remedy') return step;
  const offered = decidingCheck(facts)?.remedies.find(({ endpoint }) => endpoint !== null);
  return offered !== undefined && MAY_COME_FIRST.includes(offered.action) ? 'remedy' : 'reply';
}
