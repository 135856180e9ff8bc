/** Requirements on commerce proofs and the activity feed: id → source and behavior. */
export const commerceRequirements = {
  'clearing.decided': {
    source: 'runs § Clearing',
    behavior:
      'A clearing is decided by six checks on records alone: the worst one decides, and only a closed, proven, paid and charged run in its scope is cleared.',
  },
  'clearing.statement': {
    source: 'runs § Clearing',
    behavior:
      'The statement of a clearing is compared with the criteria and the scope of the accepted contract: what it does not promise is for a person, and a criterion that was not met blocks.',
  },
  'clearing.faults': {
    source: 'runs § Clearing',
    behavior:
      'Each check of a clearing names every fault that it found; the worst one is its outcome.',
  },
  'clearing.run': {
    source: 'runs § Clearing',
    behavior:
      'A clearing has the eleven documented members and a signed receipt; there is one for each ledger head and payment state, for its own caller alone, and no money moves.',
  },
  'clearing.review': {
    source: 'runs § Clearing',
    behavior:
      'A clearing for a person waits in the review console; approved it is cleared, rejected it is blocked, and what it says stays as it was written.',
  },
  'clearing.limits': {
    source: 'decision',
    behavior: 'At most 25 clearings of one agent wait for a person at once.',
  },
  'clearing.sample': {
    source: 'runs § Clearing',
    behavior:
      'Without an id the clearing of a sample run is read: signed, marked as synthetic, the same each time, and stored nowhere.',
  },
  'commerce.contract': {
    source: 'commerce § Commerce proof',
    behavior:
      'GET /api/agent-commerce-proof prints the schema, decisions, missions, protocol bindings, checks and boundary from the code that applies them, with the number of proofs by decision.',
  },
  'commerce.decisions': {
    source: 'commerce § Decisions',
    behavior:
      'A payment that is missing or unproven is payment_hold, any other check that fails or is unverified human_review_required, and nothing open eligible_to_continue.',
  },
  'commerce.claims': {
    source: 'commerce § Checks',
    behavior:
      'A claim is bound to the item that it names when the item’s hashed text holds it word for word and no sentence that does so denies it.',
  },
  'commerce.hashes': {
    source: 'commerce § Checks',
    behavior:
      'Every digest whose bytes are there is computed again; content that is not what was announced is 422 evidence_mismatch and leaves no proof.',
  },
  'commerce.evidence': {
    source: 'commerce § Checks',
    behavior:
      'Receipts among the evidence are looked up and verified, belong to the agent, and give their own date; stale, undated and foreign evidence is for a person.',
  },
  'commerce.payment': {
    source: 'commerce § Payment',
    behavior:
      'The payment is the one that ledger and chain have for this mission and agent, whatever the caller says; one of another order, another amount or another agent holds the mission.',
  },
  'commerce.protocol': {
    source: 'commerce § Checks',
    behavior:
      'A protocol is held against the record of the payment or of the start of the run; only a proven one is in receipt, feed and public proof.',
  },
  'commerce.wallet': {
    source: 'commerce § Checks',
    behavior: 'A wallet that the account of the agent did not bind leaves a proof for a person.',
  },
  'commerce.run': {
    source: 'commerce § Checks',
    behavior:
      'A run of this service is proven by its stored package: files, proof hash and completion signature are verified, its review and its payment read from its record.',
  },
  'commerce.records': {
    source: 'decision',
    behavior:
      'The mission id of a handoff is a handoff pack with a wallet of its agent, that of a delivery a delivered pilot of it; each carries one mission. What rests on no record is unspecified, and in no reliability, and nor is a free proof.',
  },
  'commerce.duplicates': {
    source: 'commerce § Checks',
    behavior:
      'A package is proven once: parallel proofs of one package under different keys leave one that may continue; a mission that was held is decided again.',
  },
  'commerce.identity': {
    source: 'commerce § Commerce proof',
    behavior:
      'An agent is bound by its access key alone: to name it without the key is 401, with the key of another agent 403.',
  },
  'commerce.idempotent': {
    source: 'commerce § Commerce proof',
    behavior:
      'A hundred parallel proofs with one key are one proof with one answer; the same key with another body is 422.',
  },
  'commerce.signed': {
    source: 'commerce § Packet',
    behavior:
      'Passport and receipt are receipts of the log that any verifier takes; the receipt commits to the packet, and the packet to request, inputs and checks.',
  },
  'commerce.persisted': {
    source: 'commerce § Reading',
    behavior:
      'A proof is found by its id: in full by its agent, without text by everyone once published or without an agent, and otherwise not at all.',
  },
  'commerce.moves-no-money': {
    source: 'commerce § Packet',
    behavior:
      'Proofs leave ledger, payments, payouts and chain as they were, and the store refuses a posting under a receipt of a proof.',
  },
  'commerce.guarded': {
    source: 'decision',
    behavior:
      'SQL keeps proofs and consents: no change but one review, no deletion, consent and withdrawal in turn, and only of an agent.',
  },
  'commerce.secrets': {
    source: 'commerce § Commerce proof',
    behavior: 'Secrets in any text of a request are 422 forbidden_material and in no row.',
  },
  'commerce.bounded': {
    source: 'commerce § Commerce proof',
    behavior: 'A body has at most 64 KiB (413); an address and an agent have their usual limits.',
  },
  'commerce.review': {
    source: 'commerce § Review',
    behavior:
      'human_review_required of an agent that is no sandbox waits in the review console; approved, its mission may continue; it is decided once.',
  },
  'commerce.feed': {
    source: 'commerce § Activity feed',
    behavior:
      'The feed lists only proofs with a credential, consent, a verified receipt and a record, in bounded pages, with profiles counted from them, or says why it is empty.',
  },
  'commerce.consent': {
    source: 'commerce § Activity feed',
    behavior:
      'Only the agent of a proof publishes it, with proofs:publish; a withdrawal takes it out at once, and no late repeat brings it back.',
  },
  'commerce.private': {
    source: 'commerce § Activity feed',
    behavior: 'Nothing that is public about a proof holds text, payment or mission id of an agent.',
  },
  'commerce.tools': {
    source: 'commerce § Activity feed',
    behavior:
      'publish_verified_commerce_proof and read_verified_commerce_activity are the same calls over MCP.',
  },
  'passport.consent': {
    source: 'commerce § Passport of an agent',
    behavior:
      'Counts are shown only with a published profile, decisions only of published proofs; without either consent an agent is 404.',
  },
  'passport.records': {
    source: 'commerce § Passport of an agent',
    behavior:
      'A passport follows from the records as they are; while they state the same, every read of every process answers the same bytes, and only a change is signed again.',
  },
  'passport.verify': {
    source: 'commerce § Passport of an agent',
    behavior:
      'A passport of this service verifies, with the claims that differ now; a forged one and a receipt of another kind do not.',
  },
} as const
