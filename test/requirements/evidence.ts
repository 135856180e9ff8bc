/** Requirements on analyses of evidence, their relays and free proofs: id → source and behavior. */
export const evidenceRequirements = {
  'demo.sample': {
    source: 'evidence § Investor demo',
    behavior:
      'The tour is a signed sample that stays the same for a key, and stores nothing; how much the ledger and the log hold is read each time.',
  },
  'demo.run': {
    source: 'evidence § Investor demo',
    behavior:
      'The tour over what a caller sends is a synthetic proof with its relay, event and receipt, once for a key; the digest of the whole body is in the receipt, no model is called, and secrets are refused in any property. The answer names the properties that it did not read.',
  },
  'analysis.rules': {
    source: 'evidence § Mode',
    behavior:
      'Without a model, or with force_fallback, the same input has the same analysis but for its id, and another input another.',
  },
  'analysis.proof': {
    source: 'evidence § Analysis',
    behavior:
      'An analysis is stored with a commerce proof whose package has its digest, and never changes.',
  },
  'analysis.read': {
    source: 'evidence § Analysis',
    behavior:
      'An agent reads its own analysis by id as it was stored. Those of others and of callers without a key are 404.',
  },
  'analysis.owner': {
    source: 'decision',
    behavior: 'An analysis that is asked for with an access key is of its agent, others of none.',
  },
  'analysis.reserved': {
    source: 'evidence § Names',
    behavior: 'A name of an item that begins with service: is refused, whatever it looks like.',
  },
  'analysis.bounded': {
    source: 'evidence § Analysis',
    behavior: 'A body has at most 262144 bytes, of every caller.',
  },
  'analysis.sample': {
    source: 'evidence § Analysis',
    behavior: 'GET answers a signed synthetic sample of which nothing is stored.',
  },
  'analysis.once': {
    source: 'decision',
    behavior: 'A repeat under the same key gets the first analysis.',
  },
  'analysis.quota': {
    source: 'evidence § Bounds',
    behavior: 'Over the daily quota of analyses, a caller gets 429 rate_guardrail_reached.',
  },
  'analysis.model': {
    source: 'evidence § Mode',
    behavior:
      'With a model, its sentences are findings of the source model; without an answer the call is 502, and a repeat asks again.',
  },
  'analysis.worker': {
    source: 'decision',
    behavior:
      'The model of an analysis is asked by a worker, which alone has its key; the same call at once asks it once.',
  },
  'analysis.budget': {
    source: 'evidence § Budgets',
    behavior:
      'Calls are counted against their caller and its kind before they are made, exactly under concurrency; over the budget is 429, and force_fallback is served.',
  },
  'analysis.tokens': {
    source: 'evidence § Budgets',
    behavior:
      'Analyses use tokens of their own, those without an access key again their own, and none of those of runs.',
  },
  'relay.bound': {
    source: 'evidence § Relay',
    behavior: 'A relay binds an analysis and its proof to a use and a signed receipt, and stays.',
  },
  'relay.standing': {
    source: 'evidence § Relay',
    behavior:
      'handoff_ready is a proof of an agent with a verified receipt and an eligible decision, retry_available a receipt that is not verified yet or a proof that waits, handed_off a publication.',
  },
  'relay.open': {
    source: 'evidence § Relay',
    behavior: 'A proof that is not eligible is not ready to be handed on.',
  },
  'relay.caller': {
    source: 'evidence § Relay',
    behavior:
      'A use is counted against its caller, never against the agent of the proof; an analysis of another agent is 404.',
  },
  'relay.own': {
    source: 'evidence § Relay',
    behavior:
      'Only analyses on record are relayed: another content under a known id is 422, an unknown id 404.',
  },
  'relay.sample': {
    source: 'decision',
    behavior: 'Without a body, a published packet is analysed and relayed as a trial.',
  },
  'free-proof.trial': {
    source: 'evidence § Free proof',
    behavior:
      'A free proof is of the evidence that is given, synthetic for every caller, and waits for no one.',
  },
  'free-proof.findings': {
    source: 'evidence § Free proof',
    behavior:
      'A free proof over evidence that its analysis judges failing is for a person, and never eligible to continue.',
  },
  'free-proof.bounded': {
    source: 'decision',
    behavior: 'Evidence of a free proof has at most 64 KiB and no name of this service.',
  },
  'free-proof.sample': {
    source: 'evidence § Free proof',
    behavior: 'GET answers a decided and signed sample of which nothing is stored.',
  },
  'completion.states': {
    source: 'evidence § Completion of receipts',
    behavior:
      'A movement is completed by a verified payment of the caller with a verified settlement receipt and its whole amount posted; before that it awaits the provider.',
  },
  'completion.owner': {
    source: 'evidence § Completion of receipts',
    behavior: 'A payment of another agent, and any without an access key, is unmatched.',
  },
  'completion.mismatch': {
    source: 'evidence § Completion of receipts',
    behavior: 'Another amount is 422 amount_mismatch, another rail or two payments are 422.',
  },
  'completion.no-money': {
    source: 'evidence § Completion of receipts',
    behavior: 'No completion posts, funds or settles anything.',
  },
} as const
