/** Requirements on what a signer verifies, and what each database role may do: id → source and behavior. */
export const signerRequirements = {
  'signer.verifies': {
    source: 'payouts § Signer',
    behavior:
      'The signer first computes terms, nonce, expiry and caps from the rows and recovers the principal. Asset, wallet, principal and caps come from its own configuration.',
  },
  'signer.withholds': {
    source: 'payouts § Signer',
    behavior:
      'A transfer without the stored signature of the configured principal is parked with the reason, is never signed, and dies when it expires.',
  },
  'signer.cap-once': {
    source: 'payouts § Signer',
    behavior:
      'The daily cap of the signer counts the transfer to sign once. It refuses no transfer that was reserved within the cap.',
  },
  'signer.own-operation': {
    source: 'payouts § Signer',
    behavior: 'Each step of a payout runs only for a call of its own operation.',
  },
  'signer.execute-proof': {
    source: 'payouts § Signer',
    behavior:
      'The execute call stores the wallet proof, and the step that reserves verifies it against the creator, body and path before anything is reserved.',
  },
  'signer.guarded-in-sql': {
    source: 'payouts § Signer',
    behavior:
      'SQL, too, requires a signature for an authorization and never changes it. A transfer begins only with the terms and nonce of its authorized payout, for an execute of its creator.',
  },
  'signer.roles': {
    source: 'stack § Database roles',
    behavior:
      'The API, the worker, the signer and the reader have their own database roles, which cover every table. The API role writes payouts, transfers, pauses and signing keys only through functions made for it.',
  },
  'signer.no-way-around': {
    source: 'stack § Database roles',
    behavior:
      'The API role, manual SQL and a Temporal client together cannot cause a transfer of tokens.',
  },
} as const
