/** Requirements on how keys are rotated, retired and revoked: id → source and behavior. */
export const keyStandingRequirements = {
  'keys.retired': {
    source: 'api-conventions § Signed receipts',
    behavior:
      'What a retired key signed up to its retirement stays valid until its own expiry; what is dated after it is refused by every verifier.',
  },
  'keys.revoked-receipt': {
    source: 'api-conventions § Signed receipts',
    behavior: 'A receipt of a revoked key is valid only by our stored record from before the revocation.',
  },
  'keys.revoked': {
    source: 'api-conventions § Signed receipts',
    behavior:
      'Challenges, mandates, checkouts and statements of a revoked key are refused at once, whatever their date.',
  },
  'keys.signing-standing': {
    source: 'decision',
    behavior:
      'What signs reads the standing of its key in the transaction that stores the artifact, under a lock that retiring and revoking take; it takes the next active key of the process, and without one the call is 503.',
  },
  'keys.names': {
    source: 'decision',
    behavior: 'A generated key has a name that no other key has, also where a file is made again on the same day.',
  },
  'keys.start': {
    source: 'decision',
    behavior:
      'A process refuses to start with a revoked key of choice, with a key name that stands for another public half, and with a key that has another name. Any number of processes that start at once with one key file all start.',
  },
  'keys.kept': {
    source: 'decision',
    behavior: 'A stored key never changes and is never removed, and its retirement and revocation are set once.',
  },
  'keys.acts': {
    source: 'decision',
    behavior:
      'Operators list, publish, retire and revoke signing keys by operations that the command line calls, each with a signed receipt; the last key that could sign is not retired, and no key comes over the wire.',
  },
  'keys.manual': {
    source: 'decision',
    behavior: 'The manual has a command for every act on keys and operators, and contains no SQL.',
  },
  'keys.token-key': {
    source: 'decision',
    behavior:
      'A rotated token key is used for new tokens once every process has had an hour to read it; status tokens, quote tokens and access keys that are known stay the same for a repeat.',
  },
  'keys.sound': {
    source: 'decision',
    behavior:
      'An Ed25519 public key that is not canonical or of small order is refused at registration, at rotation and by every verifier.',
  },
  'keys.operator-token': {
    source: 'api-conventions § Access kinds',
    behavior: 'A JWT of the operators’ issuer is accepted only as an access token: its typ is at+jwt.',
  },
  'keys.live-https': {
    source: 'decision',
    behavior: 'A live service refuses to start when its origins, its RPC or the operators’ issuer are not https.',
  },
  'keys.operators': {
    source: 'decision',
    behavior:
      'Operators list and revoke the credentials of operators, each with a signed receipt; a revoked one is refused with its next call.',
  },
} as const
