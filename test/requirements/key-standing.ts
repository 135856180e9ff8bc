/** Requirements on how keys are rotated, retired and revoked: id → source and behavior. */
export const keyStandingRequirements = {
  'keys.retired': {
    source: 'trust § Key status',
    behavior:
      'A signature that a key made before its retirement stays valid until its own expiry. Every verifier refuses one that is dated later.',
  },
  'keys.revoked-receipt': {
    source: 'trust § Key status',
    behavior:
      'A receipt of a revoked key is valid only when our store has it from before the revocation.',
  },
  'keys.revoked': {
    source: 'trust § Key status',
    behavior:
      'Challenges, mandates, checkouts and statements of a revoked key are refused at once, whatever their date.',
  },
  'keys.signing-standing': {
    source: 'trust § Key operation',
    behavior:
      'The signer reads the status of its key in the transaction that stores the artifact, under a lock that activating, retiring and revoking take. It uses the current key of the ring, or one before it that has not ended where the artifact is dated earlier; without one the call is 503.',
  },
  'keys.names': {
    source: 'trust § Key operation',
    behavior:
      'Each generated key has a unique name, also when its file is created a second time on the same day.',
  },
  'keys.start': {
    source: 'trust § Key operation',
    behavior:
      'A process refuses to start with a key name of another public key, and with a key that has another name; with a revoked key it starts and signs nothing. Any number of processes that start at once with one key file all start.',
  },
  'keys.kept': {
    source: 'trust § Key operation',
    behavior:
      'A stored key never changes and is never removed. Its retirement and its revocation are each set once.',
  },
  'keys.rotation': {
    source: 'trust § Key operation',
    behavior:
      'A rotation of a ring of the service publishes the next key, activates it after a delay and retires the previous one after an overlap, as a workflow with one receipt for each step. Each ring has one rotation at a time; only operators order it.',
  },
  'keys.rotation-dropped': {
    source: 'trust § Key operation',
    behavior:
      'A rotation whose next key has ended ends without it, in the database and at the signer: the previous key stays and signs, also after a crash between the two.',
  },
  'keys.rotation-hastened': {
    source: 'trust § Key operation',
    behavior:
      'A rotation waits no longer once one of its keys has ended. An order with revoke_old for a ring whose rotation is open makes that one revoke the previous key at once; its workflow notices within seconds.',
  },
  'keys.rotation-killed': {
    source: 'decision',
    behavior:
      'A worker, an API or a signer that is killed at any step of a rotation loses nothing and makes no second key; signing continues, and each receipt verifies offline.',
  },
  'keys.rotation-signer': {
    source: 'decision',
    behavior:
      'The private half of a next key never leaves the signer, which writes it to disk before it answers, gives the same key for the same rotation, signs nothing with it before it is activated or after it is retired, and retires no active key unless another that may sign takes its place.',
  },
  'keys.activated': {
    source: 'trust § Key status',
    behavior:
      'Every verifier refuses what is dated before its key was active; samples and replay packages, which have the date of something older, are judged without that date.',
  },
  'keys.commands': {
    source: 'trust § Key operation',
    behavior:
      'Operators list, publish, retire and revoke signing keys by operations that the command line calls, each with a signed receipt. The last key that could sign is not retired, and no key is sent over the network.',
  },
  'keys.manual': {
    source: 'decision',
    behavior:
      'The manual has a command for every action on keys and operators and contains no SQL.',
  },
  'keys.token-key': {
    source: 'agents § Status tokens',
    behavior:
      'A rotated token key is used for new tokens once every process has had an hour to read it; status tokens, quote tokens and access keys that are known stay the same for a repeat.',
  },
  'keys.sound': {
    source: 'agents § Registration',
    behavior:
      'An Ed25519 public key that is not canonical or of small order is refused at registration, at rotation and by every verifier.',
  },
  'keys.operator-token': {
    source: 'agents § Operators',
    behavior:
      'A JWT of the issuer of operators is accepted only as an access token, with typ at+jwt.',
  },
  'keys.live-https': {
    source: 'payouts § Local chain',
    behavior:
      'A live service refuses to start unless its origins, its RPC and the issuer of operators use https.',
  },
  'keys.operators': {
    source: 'agents § Operators',
    behavior:
      'Operators list and revoke the credentials of operators, each with a signed receipt; a revoked one is refused with its next call.',
  },
} as const
