/** Requirements on delegated authority: id → source and behavior. */
export const authorityRequirements = {
  'authority.contract': {
    source: 'authority § Contract',
    behavior:
      'GET and read_control_plane name schemas, modes, rails, rules, limits and the operations that declare delegable; the control plane adds live counts.',
  },
  'authority.access': {
    source: 'authority § Access',
    behavior:
      'Public callers may read and draft. Every other mode is 401 without its credential and 403 without its scope.',
  },
  'authority.draft': {
    source: 'authority § Mandates',
    behavior:
      'A draft is unsigned, is named by its digest, lists what is missing and warns; limits that contradict each other are 422 limits_invalid.',
  },
  'authority.issue': {
    source: 'authority § Mandates',
    behavior:
      'An operator issues a draft or terms as a signed mandate; the same operator and key give the first mandate again.',
  },
  'authority.inspect': {
    source: 'authority § Mandates',
    behavior:
      'inspect_mandate answers 200 with each check, the state, what remains and the grants; another agent is refused.',
  },
  'authority.artifacts': {
    source: 'authority § Signatures',
    behavior:
      'Mandates, grants and actions verify with the published key over context, zero byte and canonical JSON; a change of any member or byte is refused with its reason.',
  },
  'authority.foreign-input': {
    source: 'decision',
    behavior:
      'No value that is presented as a mandate, grant or action makes its reader fail or takes it over 50 ms, and none is answered with 500.',
  },
  'authority.cross-use': {
    source: 'authority § Signatures',
    behavior:
      'No artifact passes for one of another kind, also with its schema and context changed.',
  },
  'authority.rules': {
    source: 'authority § Rules',
    behavior:
      'Evaluation is pure: the default is deny, deny wins, the order of the rules has no effect, and every limit is exact.',
  },
  'authority.decisions': {
    source: 'authority § Rules',
    behavior:
      'Every decision is stored with its deciding rules and a signed receipt, and never changes; evaluate_action uses nothing.',
  },
  'authority.grant': {
    source: 'authority § Grants',
    behavior:
      'A grant is bound to mandate, agent, operation and input, and lives 10 to 300 seconds, by default 120.',
  },
  'authority.execute': {
    source: 'authority § Execution',
    behavior:
      'execute_delegated_action answers 201 with the status and result of the operation, the signed action, what remains and a receipt.',
  },
  'authority.payers': {
    source: 'authority § Mandates',
    behavior:
      'A mandate that names resources judges every source of money of an action, also funded credit behind its quote_id: as the wallet that paid for it, or else as the credit. It is judged again in the transaction that takes the credit, and by SQL.',
  },
  'authority.execute.workflow': {
    source: 'decision',
    behavior: 'The action that makes a delegated workflow counts the price of its first run.',
  },
  'authority.firings': {
    source: 'authority § Budget',
    behavior:
      'Each later run of a delegated workflow is charged to its mandate in the transaction that pays it; a firing over the budget, per action or after revocation or expiry starts nothing and says why, also of 10 at once.',
  },
  'authority.released': {
    source: 'authority § Budget',
    behavior:
      'The price that is used for a delegated workflow is given back once, in the transaction in which the workflow is rejected or deleted or its mandate revoked, or after the mandate has expired, unless a run has used it; the action that made the workflow stays counted.',
  },
  'authority.execute.single-use': {
    source: 'authority § Execution',
    behavior:
      '100 parallel executions of one grant have one effect; the others are 409 grant_consumed with the first result for the same agent.',
  },
  'authority.execute.refused': {
    source: 'authority § Execution',
    behavior:
      'A refusal of the operation before its effect uses neither grant nor budget; an unknown outcome keeps both.',
  },
  'authority.execute.durable': {
    source: 'authority § Execution',
    behavior:
      'An action that was stored is performed once, also when its API or worker is killed in between.',
  },
  'authority.budget': {
    source: 'authority § Budget',
    behavior:
      'The budget counts the price that the operation computes, exactly: of 100 parallel runs of 49 usd under a budget of 490, ten start.',
  },
  'authority.revoke': {
    source: 'authority § Revocation',
    behavior:
      'A revocation takes effect at its commit: of 50 parallel executions none starts after it, and unused grants are revoked.',
  },
  'authority.commands': {
    source: 'decision',
    behavior:
      'agent-rails mandates lists, shows, inspects and revokes mandates of authority and of AP2; inspect exits with 1 for one that is not valid.',
  },
  'authority.guards': {
    source: 'authority § Guards',
    behavior:
      'SQL refuses a used total over the budget or unlike the actions, an action without its consumed grant or under a revoked mandate, and a second live action of a grant.',
  },
  'authority.request-digest': {
    source: 'payouts § Request digest',
    behavior: 'request_sha256 is the SHA-256 of the canonical JSON of the eight named keys.',
  },
  'authority.eip712': {
    source: 'payouts § Principal authorization',
    behavior:
      'The domain, the types and the message of the principal authorization give the documented EIP-712 digest.',
  },
  'mandate.issue': {
    source: 'payouts § Mandate',
    behavior:
      'An operator issues a dc+sd-jwt mandate for a created payout. The response shows the recipient and the amount.',
  },
  'mandate.issue.operator-only': {
    source: 'payouts § Mandate',
    behavior: 'A call of issue_mandate without an operator credential returns 401.',
  },
  'mandate.issue.digest-mismatch': {
    source: 'payouts § Mandate',
    behavior:
      'A call of issue_mandate with the checkout of another payout returns 403 request_digest_mismatch.',
  },
  'mandate.issue.holder-proof': {
    source: 'payouts § Mandate',
    behavior: 'A call of issue_mandate is refused when the holder did not sign the holder proof.',
  },
  'mandate.found': {
    source: 'payouts § Mandate',
    behavior:
      'An operator finds the mandates of a payout by its id, its creator or their own ids, with state, amount, use and payout.',
  },
  'mandate.revoke': {
    source: 'payouts § Mandate',
    behavior:
      'From the commit of its revocation a mandate authorizes no payout, and the payout that it authorized is not executed: 403 authority_denied. A repeat answers the first receipt, which has the label of the payout.',
  },
  'mandate.revoke.guarded': {
    source: 'decision',
    behavior:
      'SQL refuses the authorization and the transfer of a payout whose mandate is revoked, makes each of them and a revocation wait for the other, and lets no revocation be undone.',
  },
} as const
