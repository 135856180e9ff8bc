/** Requirements on what a signer verifies, and what each database role may do: id → source and behavior. */
export const signerRequirements = {
  'signer.verifies': {
    source: 'decision',
    behavior:
      'Whatever signs a transfer first computes terms, nonce, expiry and caps again from the rows and recovers the principal; asset, wallet, principal and caps are of its own configuration.',
  },
  'signer.withholds': {
    source: 'decision',
    behavior:
      'A transfer without the stored signature of the configured principal is parked with the reason, is never signed, and dies when it expires.',
  },
  'signer.cap-once': {
    source: 'decision',
    behavior:
      'The signer’s daily cap counts the transfer to sign once, and refuses none that was reserved within the cap, whatever is reserved later.',
  },
  'signer.own-operation': {
    source: 'decision',
    behavior: 'A step of a payout runs only for a call of its own operation.',
  },
  'signer.execute-proof': {
    source: 'decision',
    behavior:
      'The execute call stores the wallet proof, and the step that reserves verifies it against the creator, body and path before anything is reserved.',
  },
  'signer.guarded-in-sql': {
    source: 'decision',
    behavior:
      'In SQL, too, an authorization carries a signature and never changes, and a transfer begins only with the terms and nonce of its authorized payout, for an execute of its creator.',
  },
  'signer.roles': {
    source: 'decision',
    behavior:
      'API, worker, signer and reader have database roles of their own; the API’s writes no payout, transfer, switch or signing key but by functions made for it. Every table is covered.',
  },
  'signer.no-way-around': {
    source: 'decision',
    behavior: 'The API’s database role, SQL by hand and a Temporal client together cause no transfer of tokens.',
  },
} as const
