export const payoutRequirements = {
  'payout.create.created': {
    source: 'payouts § States and transitions',
    behavior:
      'A valid create fixes the terms, sets the state created and returns a signed receipt.',
  },
  'payout.create.idempotent': {
    source: 'payouts § Identity and terms',
    behavior: '50 identical parallel creates make one payout, one workflow and one charge.',
  },
  'payout.create.conflict': {
    source: 'payouts § Identity and terms',
    behavior:
      'Other terms under the same key, also in parallel, return 422 idempotency_conflict and change nothing.',
  },
  'payout.create.same-amount-text': {
    source: 'payouts § Identity and terms',
    behavior: 'The amounts 1.0 and 1.00 under one key are the same payout.',
  },
  'payout.create.schema': {
    source: 'payouts § Create',
    behavior: 'The API enforces every bound of the create fields and refuses unknown properties.',
  },
  'payout.create.cap': {
    source: 'payouts § Amounts and caps',
    behavior:
      'A create of more than 25000000 atomic returns 422 payout_cap_exceeded. A create of exactly 25000000 is accepted.',
  },
  'payout.create.zero-amount': {
    source: 'payouts § Create',
    behavior: 'The API refuses an amount of zero.',
  },
  'payout.create.recipient-refused': {
    source: 'payouts § Create',
    behavior:
      'A create returns 422 recipient_refused when the recipient is the zero address, the asset or one of our own addresses.',
  },
  'payout.create.usage-default': {
    source: 'payouts § Create',
    behavior:
      'The usage of a payout is the value that the caller declared, or unspecified by default.',
  },
  'payout.id.derivation': {
    source: 'payouts § Identity and terms',
    behavior:
      'A payout_id is po_ and the SHA-256 of the creator and the idempotency key. It is also the id of the workflow.',
  },
  'payout.terms.digest': {
    source: 'payouts § Identity and terms',
    behavior:
      'The terms digest is the SHA-256 of the canonical terms. Every receipt of the payout contains it.',
  },
  'payout.money.exact': {
    source: 'payouts § Amounts and caps',
    behavior:
      'amount_usdc becomes atomic units by string arithmetic with six decimal places, and is printed in its shortest form.',
  },
  'payout.state.table': {
    source: 'payouts § States and transitions',
    behavior:
      'Only create, authorize and execute, in this order, change the state of a payout. Every other pair of state and operation is refused.',
  },
  'payout.state.guarded-in-sql': {
    source: 'payouts § Guards',
    behavior:
      'SQL refuses a transition that is not in the state table and a change of the terms, in manual statements as well.',
  },
  'payout.answer.body': {
    source: 'payouts § Response body',
    behavior: 'Every payout response has exactly the documented members.',
  },
  'payout.creator-only': {
    source: 'payouts § Identity and terms',
    behavior:
      'The operations authorize, execute and status return 404 for an unknown payout and for a payout of another creator.',
  },
  'challenge.answer': {
    source: 'payouts § Challenge',
    behavior:
      'A challenge returns a token, an ES256 checkout of 10 cents with the request digest, the hash of the checkout, a nonce, the audience, both holder bindings and an expiry.',
  },
  'challenge.holder-unknown': {
    source: 'payouts § Challenge',
    behavior: 'A challenge for a holder wallet that is not configured returns 403 holder_unknown.',
  },
  'challenge.input-exact': {
    source: 'payouts § Challenge',
    behavior: 'The input of a challenge has exactly two members: holder_wallet and request_sha256.',
  },
  'authorize.authorized': {
    source: 'payouts § Authorize',
    behavior:
      'A valid principal signature and an unused presentation authorize the payout. The payout then has its mandate reference and a signed receipt.',
  },
  'authorize.retry': {
    source: 'payouts § Authorize',
    behavior:
      'An identical authorize returns the first response. Other content under the same key returns 422.',
  },
  'authorize.schema': {
    source: 'payouts § Authorize',
    behavior:
      'The API enforces every bound of the authorize fields and refuses unknown properties.',
  },
  'authorize.principal-signature': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 principal_signature_invalid when the signature is for another recipient, amount, expiry, key, domain or chain, when its s is malleated, or when its signer is wrong.',
  },
  'authorize.issuer-untrusted': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 issuer_untrusted when the issuer of the mandate or its key is not configured as trusted.',
  },
  'authorize.mandate-invalid': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 mandate_invalid for a wrong typ, alg, vct or _sd_alg, for a disclosure that is unreferenced, repeated or dropped, and for a status claim.',
  },
  'authorize.key-binding-missing': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 key_binding_missing when the presentation has no key binding.',
  },
  'authorize.key-binding-invalid': {
    source: 'payouts § Authorize',
    behavior: 'An authorize returns 403 key_binding_invalid when the key binding is broken.',
  },
  'authorize.key-binding-expired': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 key_binding_expired when the key binding is more than 300 seconds old.',
  },
  'authorize.audience': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 audience_mismatch when the key binding is made for another audience.',
  },
  'authorize.request-digest': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 request_digest_mismatch when the presentation commits to another request.',
  },
  'authorize.presentation-consumed': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize with a presentation that was used before returns 409 presentation_consumed.',
  },
  'authorize.challenge-consumed': {
    source: 'payouts § Authorize',
    behavior: 'An authorize with a challenge that was used before returns 409 challenge_consumed.',
  },
  'authorize.mandate-consumed': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize with a mandate that was used before returns 409 mandate_consumed, also when two payouts use it in parallel.',
  },
  'authorize.expired': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 410 challenge_expired when the challenge has expired, and 410 payout_expired when expires_at is less than 30 seconds ahead.',
  },
  'authorize.refusal-changes-nothing': {
    source: 'payouts § Authorize',
    behavior: 'A refused authorize does not change the state, the replay ledger or the receipts.',
  },
  'execute.executed': {
    source: 'payouts § Execute',
    behavior:
      'An execute of an authorized and unexpired payout transfers the money, confirms the transfer and records executed. The receipt has the transaction hash.',
  },
  'execute.once': {
    source: 'payouts § Execute',
    behavior:
      '100 parallel executes over two API and two worker processes make one transfer, and all responses agree.',
  },
  'execute.wrong-state': {
    source: 'payouts § States and transitions',
    behavior:
      'An execute of a payout that is not authorized returns 409 wrong_state with the allowed events.',
  },
  'execute.expired': {
    source: 'payouts § Execute',
    behavior: 'An execute with less than 30 seconds of remaining life returns 410 payout_expired.',
  },
  'execute.daily-cap': {
    source: 'payouts § Execute',
    behavior:
      'Reservations never add up to more than 100000000 atomic a day, in parallel as well. An execute beyond the cap returns 409 daily_cap_exceeded with the time when room is free.',
  },
  'execute.stored-before-sent': {
    source: 'payouts § Execute',
    behavior:
      'The nonce and the signed transfer are stored before submission. A repeated step broadcasts the stored bytes.',
  },
  'execute.nonce': {
    source: 'payouts § Execute',
    behavior: 'The EIP-3009 nonce of a transfer is derived from the asset and the payout id.',
  },
  'execute.never-resigned': {
    source: 'payouts § Signer',
    behavior:
      'A stored signature of an authorization is never replaced, and no other terms are signed.',
  },
  'execute.signed-when-reserved': {
    source: 'payouts § Signer',
    behavior:
      'A worker that has the key stores a reservation and its signature together or not at all. Without the key, the signing queue adds the signature.',
  },
  'execute.submit-errors': {
    source: 'payouts § Gas wallets',
    behavior:
      'A broadcast that the node already knows counts as sent. The error "nonce too low" leads to reconciliation.',
  },
  'execute.fee-bump': {
    source: 'payouts § Gas wallets',
    behavior:
      'A transaction that is not mined in time is replaced at the same account nonce with a fee at least 12.5 % higher. Every hash is kept.',
  },
  'gas-wallets.alarm': {
    source: 'payouts § Gas wallets',
    behavior:
      'When a gas-wallet queue has not moved for GAS_WALLET_JAM_AFTER_MS, the metrics, readyz, doctor, one log line and the waiting transfers show it.',
  },
  'gas-wallets.heals': {
    source: 'payouts § Gas wallets',
    behavior:
      'Every kind of jam resolves without a person. Other gas wallets take the load of an empty one.',
  },
  'gas-wallets.shared': {
    source: 'payouts § Gas wallets',
    behavior:
      'The gas wallets share the load. 150 concurrent executes over three of them all finish, each exactly once, also when workers are killed, and no nonce stays stuck.',
  },
  'gas-wallets.laws': {
    source: 'payouts § Gas wallets',
    behavior:
      'Each replacement raises the fee by at least an eighth and stays below the ceiling. Every node error has one meaning. A gas wallet is chosen by balance, jam and load.',
  },
  'gas-wallets.frugal': {
    source: 'payouts § Gas wallets',
    behavior:
      'One submit costs two chain requests, in addition to the requests that all submits of a second share.',
  },
  'confirm.frugal': {
    source: 'payouts § Confirmation',
    behavior:
      'All waits of a process for confirmations share the block heights that it reads. They send requests only when there are new blocks.',
  },
  'execute.confirmed-by-logs': {
    source: 'payouts § Confirmation',
    behavior:
      'A transfer is confirmed by AuthorizationUsed together with the exact Transfer, whichever account sent the transaction.',
  },
  'execute.final': {
    source: 'payouts § Confirmation',
    behavior: 'A payout_final receipt follows when the block of the transfer is finalized.',
  },
  'execute.reorg': {
    source: 'payouts § Confirmation',
    behavior: 'When the block of a transfer vanishes, the worker broadcasts the same bytes again.',
  },
  'execute.dead': {
    source: 'payouts § Confirmation',
    behavior:
      'A transfer is dead when a finalized block shows that its authorization expired unused. The cap is released, and a receipt says that no money moved.',
  },
  'execute.nonce-conflict': {
    source: 'payouts § Confirmation',
    behavior:
      'When the nonce was used without our Transfer, the payout has the exception nonce_conflict and NeedsAttention, and its amount stays in the cap.',
  },
  'execute.voided': {
    source: 'payouts § Confirmation',
    behavior:
      'An executed transfer that vanishes and then expires gets a payout_voided receipt, and its cap is released. The closed workflow run keeps its ExceptionCode.',
  },
  'execute.accepted': {
    source: 'payouts § Execute',
    behavior:
      'An execute that is not confirmed within the wait returns 202 with the state authorized, the transfer status and money_moved unknown. A repeat joins it.',
  },
  'execute.parked': {
    source: 'payouts § Execute',
    behavior:
      'A reserved payout whose transfer cannot be sent is parked with a reason. It continues by itself when the cause is gone.',
  },
  'execute.paused': {
    source: 'payouts § Pauses',
    behavior:
      'An execute of a payout that an operator paused returns 503 paused and reserves nothing.',
  },
  'execute.key-secrecy': {
    source: 'payouts § Execute',
    behavior: 'No private key is in the workflow history, in a log or in an error.',
  },
  'payout.renewed': {
    source: 'payouts § Workflow',
    behavior:
      'The workflow of a payout renews itself after many calls. A run that is ending refuses updates, and callers reach the next run.',
  },
  'payout.idle': {
    source: 'payouts § Workflow',
    behavior: 'The workflow of a payout ends after a long time without events. The row remains.',
  },
  'payout.small': {
    source: 'decision',
    behavior:
      'A free payout that is never used keeps at most 3 KB in rows, and none in Temporal once its workflow has ended. Its status, its receipt, the repeat of its create and its authorize still work.',
  },
  'payout.shown': {
    source: 'payouts § Workflow',
    behavior:
      'In the list of workflows, State shows authorized with the next change, or at the first check after half an hour. Work for a person is shown at once.',
  },
  'minimum-balance.refuses': {
    source: 'payouts § Minimum balance',
    behavior:
      'An execute that would bring the payout wallet below its minimum balance returns 503 paused and reserves nothing, exactly under concurrency.',
  },
  'minimum-balance.alarms': {
    source: 'payouts § Minimum balance',
    behavior: 'The log, the metrics and doctor report a balance near the minimum.',
  },
  'canary.first': {
    source: 'payouts § Canary',
    behavior:
      'A small transfer precedes the first reservation of a UTC day. Until it is confirmed, executes return 503.',
  },
  'canary.worker': {
    source: 'payouts § Canary',
    behavior:
      'A worker starts the canary when its workflow run loads it. An API process, which may write no payout, only wakes that run.',
  },
  'canary.receipts': {
    source: 'payouts § Canary',
    behavior:
      'The receipts of the canary name the service as its creator and the configuration as its authority.',
  },
  'canary.fails': {
    source: 'payouts § Canary',
    behavior:
      'A canary that is proven dead or in conflict pauses the rail until an operator resumes it.',
  },
  'payout.model': {
    source: 'decision',
    behavior:
      'Random interleavings of callers, repeats and crashes give responses that a reference model also gives in some order.',
  },
} as const
