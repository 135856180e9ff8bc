export const callPipelineRequirements = {
  'calls.answered-when-stored': {
    source: 'calls § Idempotency',
    behavior:
      'A caller gets the answer of a workflow step once the answer is stored, even when Temporal has not recorded the step.',
  },
  'status.exactly-one': {
    source: 'payouts § Status',
    behavior:
      'A status call with both payout_id and idempotency_key, or with neither, returns 400.',
  },
  'status.by-either': {
    source: 'payouts § Status',
    behavior: 'A status call finds a payout by its id and by the key of its create.',
  },
  'status.creator': {
    source: 'payouts § Status',
    behavior: 'A status call with the wallet proof of another wallet returns 404.',
  },
  'status.read-only': {
    source: 'payouts § Status',
    behavior: 'A status call changes nothing and needs neither Temporal nor the chain.',
  },
  'status.repeat-afresh': {
    source: 'payouts § Status',
    behavior:
      'A status call that repeats a proof returns the current state and is not charged again.',
  },
  'free.ten': {
    source: 'money § Free calls',
    behavior: '50 parallel first calls of a wallet are granted exactly 10 free calls.',
  },
  'free.rolling': {
    source: 'money § Free calls',
    behavior: 'Each free call becomes available again 30 days after its own use.',
  },
  'free.failed-call': {
    source: 'money § Free calls',
    behavior: 'A failed call returns its free call.',
  },
  'free.address-limit': {
    source: 'money § Free calls',
    behavior:
      'Free calls are limited per client address and in total. Beyond a limit the response is 402.',
  },
  'charge.only-success': {
    source: 'errors § Charging',
    behavior: 'A response of 4xx or 5xx uses up no free call, no payment and no proof.',
  },
  'charge.grant-or-release': {
    source: 'money § One payment, one effect',
    behavior: 'The claim of a call is released or used by its effect, never both.',
  },
  'charge.late-effect': {
    source: 'money § One payment, one effect',
    behavior:
      'A call that got 503 and whose effect happened later is charged once, and its retry gets the result.',
  },
  'pipeline.other-host': {
    source: 'decision',
    behavior: 'A path that only the other host serves is a 404 that names the address there.',
  },
  'pipeline.problem-json': {
    source: 'errors § Problem body',
    behavior:
      'Every refusal is application/problem+json with code, retryable, money_moved, next_action and request_id, and without a stack trace.',
  },
  'pipeline.error-codes': {
    source: 'errors § Statuses',
    behavior:
      'Every error code belongs to one status. The statuses 429, 502 and 503 and the code idempotency_in_flight are retryable.',
  },
  'pipeline.unknown-property': {
    source: 'calls § Bodies',
    behavior:
      'A body with an unknown property returns 400 with the pointer of the property, and nothing is charged.',
  },
  'pipeline.malformed': {
    source: 'errors § Malformed calls',
    behavior:
      'Malformed JSON returns 400, a wrong content type 415, a body over 64 KiB 413, and a wrong method 405.',
  },
  'structure.pipeline': {
    source: 'decision',
    behavior:
      'The stages of a call stand in one list: identify, authenticate, admit, claim, run, settle. None knows a later one, what they share knows none of them, and each way of access is one method that the first two stages use.',
  },
  'pipeline.text': {
    source: 'calls § Bodies',
    behavior: 'Text with NUL or lone surrogates returns 400. Lengths count code points.',
  },
  'pipeline.forbidden-material': {
    source: 'calls § Forbidden material',
    behavior:
      'Secrets in free text return 422 forbidden_material with the pointer and without the value. Hex without a label is accepted.',
  },
  'pipeline.nowhere-kept': {
    source: 'calls § Forbidden material',
    behavior:
      'Each kind of secret in each screened text of each operation is 422, and no workflow history, memo, search attribute, row or log of a running service holds any.',
  },
  'pipeline.encoded-material': {
    source: 'calls § Forbidden material',
    behavior:
      'Presentations of mandates, challenge tokens and other signed texts are screened as what their base64url parts encode: claims and disclosures, and tokens inside of them. The pointer is that of the field.',
  },
  'pipeline.operator': {
    source: 'agents § Operators',
    behavior:
      'An operator credential has 256 bits and is stored as SHA-256. A wrong or revoked one returns 401 with WWW-Authenticate.',
  },
  'pipeline.operator-oidc': {
    source: 'agents § Operators',
    behavior:
      'An operator may present a JWT of the configured OIDC issuer. Its audience, scope and algorithm are checked. When the keys of the issuer cannot be read, the response is 503.',
  },
  'pipeline.replay': {
    source: 'calls § Idempotency',
    behavior:
      'A repeat of a finished call returns the same response with Idempotent-Replayed: true.',
  },
  'pipeline.token-limit': {
    source: 'limits § Call limits',
    behavior:
      'A status token has the limit of an access key; one of anonymous work those of public callers, by its address and by itself, and their body size.',
  },
  'pipeline.public-limit': {
    source: 'limits § Call limits',
    behavior:
      'An address without a credential has 60 reads and 10 other calls a minute over all processes. A repeat is not counted.',
  },
  'pipeline.rate-limit': {
    source: 'calls § Rate limits',
    behavior:
      'The limits of wallets and addresses are counted in Postgres over all processes. Beyond a limit the response is 429 with Retry-After.',
  },
  'pipeline.headers': {
    source: 'calls § Headers',
    behavior:
      'Every response has X-Request-Id and X-Interface-Version, and Cache-Control: no-store except on discovery.',
  },
  'pipeline.canonical-json': {
    source: 'calls § Canonical JSON',
    behavior: 'Digests are the SHA-256 of RFC 8785 text in lowercase hex.',
  },
  'pipeline.reads-together': {
    source: 'decision',
    behavior: 'Concurrent reads never hold one database connection while they wait for another.',
  },
  'pipeline.dependency-down': {
    source: 'errors § Dependencies',
    behavior:
      'When Postgres is down, or Temporal where a workflow has yet to make the step, the API returns 503 within 2 seconds and recovers by itself.',
  },
  'pipeline.chain-down': {
    source: 'payouts § Execute',
    behavior:
      'When the chain is down, new executes and settlements return 503 within 2 seconds and reserve nothing. Free calls still work.',
  },
  'limits.documented': {
    source: 'limits § Payout limits',
    behavior: 'Every limit has the documented number.',
  },
  'pipeline.access-kinds': {
    source: 'calls § Access kinds',
    behavior: 'Every operation enforces its access kinds. A status token alone can only read.',
  },
  'pipeline.hosts': {
    source: 'calls § Hosts',
    behavior:
      'An operation is served on its own host only. On the other host its path returns 404.',
  },
} as const
