export const reviewRequirements = {
  'review.console': {
    source: 'agents § Reviews',
    behavior:
      'The review console lists waiting work, longest first, by page, kind, state and rail. It has a compact form.',
  },
  'review.record': {
    source: 'agents § Reviews',
    behavior:
      'A decision is one row with a signed receipt. It is made once for each time that its subject waits.',
  },
  'review.evidence': {
    source: 'agents § Evidence of a review',
    behavior:
      'A decision names the root digest of the evidence of its subject. With another digest it is 409 evidence_changed. The signed receipt has the digests.',
  },
  'review.agent.account': {
    source: 'agents § Evidence of a review',
    behavior:
      'The evidence of an agent has the name and country of the account that it registered for.',
  },
  'review.uploads': {
    source: 'agents § Evidence of a review',
    behavior:
      'An operator reads an uploaded list in slices of whole lines during a review. It is a part of the evidence, named by the digest of all its bytes.',
  },
  'review.revised': {
    source: 'decision',
    behavior:
      'An operator revises a run by parameters that its rail declares, and the work begins again at once, or by a corrected input, which is a proposal until the agent recovers the task with exactly it. A revision that changes nothing or does not fit the rail is refused. Ledger, receipt and replay package name both digests.',
  },
  'review.commands': {
    source: 'agents § Evidence of a review',
    behavior:
      'The command line lists what waits, shows its evidence, and decides with the digest that it showed and a judgement for each criterion.',
  },
  'review.waived': {
    source: 'tasks § Evidence',
    behavior:
      'A run whose gaps are waived waits for its review as any other, and its views show this wait and since when.',
  },
  'review.judged': {
    source: 'agents § Evidence of a review',
    behavior:
      'A reviewer judges each acceptance criterion of a run. A criterion that was not judged is never met.',
  },
} as const
