/** Requirements on the trust operations: id → source and behavior. */
export const trustOperationRequirements = {
  'trust.calls': {
    source: 'trust § Trust operations',
    behavior:
      'Each trust operation is a paid wallet call: a proof bound to body and path, ten free calls, then 402. A refused call uses nothing up, and a repeat gets the first answer.',
  },
  'trust.bodies': {
    source: 'trust § Trust operations',
    behavior:
      'Passports and proofs of 24000 characters are accepted, each character escaped. A larger body returns 413.',
  },
  'trust.published': {
    source: 'trust § Trust contract',
    behavior:
      'The trust contract lists the trust operations with their modes, the types of the artifacts, the limits and the formula of the score.',
  },
  'trust.secrets': {
    source: 'trust § Trust operations',
    behavior:
      'Secrets in any free text of the trust operations return 422 forbidden_material and are in no row and no log.',
  },
  'trust.foreign-input': {
    source: 'decision',
    behavior:
      'No passport, pack or proof that a stranger wrote makes a verification fail, and none takes over 50 ms.',
  },
  'trust.crash': {
    source: 'trust § Trust operations',
    behavior:
      'A killed API leaves no passport, proof or pack half done. The repeat gets one effect, one charge and the same answer.',
  },
  'trust.passport.issue': {
    source: 'trust § Receipt passport',
    behavior:
      'A passport states the operation, path, body digest, outcome, time and payment of work that the rows prove.',
  },
  'trust.passport.label': {
    source: 'trust § Receipt passport',
    behavior:
      'Work that its own call declared synthetic gets a passport labelled synthetic, whatever usage the issue names.',
  },
  'trust.passport.not-found': {
    source: 'trust § Receipt passport',
    behavior:
      'Work of another wallet, work that did not succeed and unknown work return 404 work_not_found.',
  },
  'trust.passport.one': {
    source: 'trust § Receipt passport',
    behavior:
      'Parallel issues for one work under different keys make one passport; the others return 409 work_already_attested with its id.',
  },
  'trust.passport.verify': {
    source: 'trust § Receipt passport',
    behavior:
      'Any wallet verifies any passport. A bad one is 200 with valid false and reasons, and the key has its standing at issue and now.',
  },
  'trust.artifacts.tampered': {
    source: 'trust § Receipt passport',
    behavior:
      'A passport or pack with any field or byte changed is refused with the reason of the change.',
  },
  'trust.artifacts.cross-use': {
    source: 'trust § Receipt passport',
    behavior: 'No signed artifact passes for one of another kind.',
  },
  'trust.inbox.store': {
    source: 'trust § Proof inbox',
    behavior:
      'A proof is named by the digest of wallet, kind, content and label. The same proof again is the one that is there.',
  },
  'trust.inbox.genuine': {
    source: 'trust § Proof inbox',
    behavior:
      'A passport or pack that does not verify returns 422 receipt_invalid with the reasons and is not stored.',
  },
  'trust.inbox.limits': {
    source: 'trust § Proof inbox',
    behavior:
      'Parallel stores end exactly at 256 records and at 4194304 bytes; the others return 409 wallet_storage_full with limit and usage, or 503 contention.',
  },
  'trust.inbox.guarded': {
    source: 'decision',
    behavior:
      'SQL typed by hand cannot exceed the limits of an inbox, attest a work twice, let a pack follow a completed one, or change what is stored.',
  },
  'trust.inbox.read': {
    source: 'trust § Proof inbox',
    behavior:
      'A list is newest first. A proof is retrieved with its content and inclusion receipt; one of another wallet is 404.',
  },
  'trust.score.monotone': {
    source: 'trust § Scorecard',
    behavior:
      'More proven evidence never lowers the score, and none of up to 12 refunds raises it.',
  },
  'trust.score.unmoved': {
    source: 'trust § Scorecard',
    behavior:
      'A payment to the wallet itself or to a wallet of its account does not move the score. Payees of one account, or that paid each other, count as one.',
  },
  'trust.score.refunds': {
    source: 'trust § Scorecard',
    behavior:
      'At most the 12 largest transfers back to the wallet are refunds, each of the last payment to that payee before it.',
  },
  'trust.score.chain': {
    source: 'trust § Scorecard',
    behavior:
      'A payment counts only by its logs in a canonical block. Unproven items are listed with the reason. Without the chain there is no score.',
  },
  'trust.score.signed': {
    source: 'trust § Scorecard',
    behavior:
      'A score is signed with the digests of its inputs, the formula and the evidence. The same inputs within an hour get the first score.',
  },
  'trust.pack.build': {
    source: 'trust § Handoff pack',
    behavior:
      'A pack names builder, recipient and expiry as sub, aud and exp. An expiry that is not in the future returns 410, and over 12000 bytes of canonical JSON 413.',
  },
  'trust.pack.series': {
    source: 'trust § Handoff pack',
    behavior: 'The packs of one builder for one task follow the status table; completed is final.',
  },
  'trust.pack.verify': {
    source: 'trust § Handoff pack',
    behavior:
      'A verification reports validity, expiry, whether the caller is the recipient, and what the pack permits the caller.',
  },
} as const
