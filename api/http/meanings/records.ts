/** What the fields of commerce proofs and of the activity feed mean. */
export const commerceMeanings: Readonly<Record<string, string>> = {
  schema_version: 'The version of the schema of the request.',
  mission: 'What the package was made for.',
  mission_id: 'Your own name of the mission; of a work order, handoff pack or pilot its id.',
  'mission.kind': 'What the package has to hold, and whether it has to be paid.',
  publication_consent: 'Whether the activity feed may show the proof; false withdraws it.',
  agent: 'The agent behind the package.',
  'agent.agent_id': 'The agent whose access key the call presents.',
  'agent.name': 'What the agent calls itself, where no key proves it.',
  'agent.wallet': 'A wallet that the account of the agent bound.',
  return_package: 'A run of this service by its package, or the parts of another one.',
  return_package_id: 'The package of a run of your own.',
  claims: 'What the package says of itself.',
  'return_package.claims[].claim': 'A sentence that stands in the item word for word.',
  'return_package.claims[].artifact': 'The item that holds the claim.',
  artifacts: 'The parts of the package.',
  'return_package.artifacts[].name': 'The name of the part, for claims.',
  bytes: 'The length of the content in UTF-8.',
  'return_package.artifacts[].content': 'The text itself; without it, its digest proves nothing.',
  'commerce-proof-evaluate evidence': 'What else speaks for the package.',
  'evidence[].id': 'Your name of the evidence.',
  'evidence[].text': 'The text itself; without it, its digest proves nothing.',
  'evidence[].dated': 'When it was made, as you say.',
  'evidence[].receipt_id': 'A receipt of this service about you, which dates and proves itself.',
  payment: 'The payment of the mission; the ledger says what it is worth.',
  authority: 'What permits the mission beyond the access key.',
  mandate_id: 'A mandate of yours.',
  protocol_binding: 'How the mission was carried out.',
  mission_kind: 'Only missions of this kind.',
  since: 'Only what was published from then on.',
  'commerce-proof-read proof_id': 'The proof, as commerce-proof-evaluate answered it.',
  'activity-feed-publish proof_id': 'The proof, as commerce-proof-evaluate answered it.',
}

/** What the fields of accounts and fees mean. */
export const commercialMeanings: Readonly<Record<string, string>> = {
  account_id: 'The account; an agent has only its own.',
  controls: 'The controls that are set; those that are absent stay, null is no limit.',
  'controls.allowed_rails': 'Only these rails are quoted, started and paid.',
  'controls.per_run_usd_max':
    'The most usd of one run, one payout or one purchase of a badge or plan.',
  'controls.review_all': 'An operator decides about each run, also a synthetic one.',
  'controls.callback_hosts': 'Only these hosts are called back.',
  'controls.credential_max_age_days': 'An access key ends so many days after it was claimed.',
}

/** What the fields of pilots mean. */
export const pilotMeanings: Readonly<Record<string, string>> = {
  client: 'Who the pilot is for.',
  'client.name': 'The name of the client.',
  'client.contact': 'How an operator reaches the client.',
  'client.account_id': 'The account of your agent, for which the pilot then runs.',
  workflow_description: 'How the work is done today.',
  desired_start: 'The day on which the client wants to begin.',
  pilot_id: 'The pilot, as its intake, invitation or offer answered it.',
  response: 'The answer: accept and decline are final, the others keep the invitation open.',
  'pilots-list source': 'How the pilot began.',
  'pilot-conversation-add text': 'What is said.',
}

/** What the fields of listings, prospects and packs mean. */
export const sellingMeanings: Readonly<Record<string, string>> = {
  trust_listing_id: 'The listing, as create-trust-listing answered it.',
  display_name: 'The name that everyone sees.',
  summary: 'What the agent does, for everyone who reads the list.',
  evidence_receipt_ids: 'Receipts of this service about you, of operational work.',
  months: 'How long the badge is active once its fee is settled.',
  commercial_plan_id: 'The plan, as create-trust-badge-plan answered it.',
  'record-trust-badge-fee-event event': 'What the ledger is to confirm of the fee.',
  'create-prospect label': 'What you call the prospect; no personal data.',
  channel: 'How it is spoken with.',
  contact_reference: 'Where you keep its contact.',
  prospect_id: 'The prospect, as create-prospect answered it.',
  message_sha256: 'The digest of the message, which is not kept.',
  sent_at: 'When it was sent.',
  received_at: 'When you received it.',
  'update-prospect-state to': 'The next state.',
  'read-prospects state': 'Only prospects in this state now.',
  'paid-next-step-mark to': 'The only state that an offer leads to.',
  'paid-next-step-read state': 'Only prospects in this state now.',
  close: 'Whether the sprint ends and the next one begins.',
  trust_badge_state: 'Only listings whose badge is in this state now.',
}
