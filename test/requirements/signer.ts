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
  'signer.signs-only': {
    source: 'stack § Database roles',
    behavior:
      'The role of the signer moves a transfer only from reserved to signed, with its signature, or parks it.',
  },
  'execute.dead-proven': {
    source: 'stack § Database roles',
    behavior:
      'A dead transfer and a failed payment carry the number, hash and time of the finalized block that proves it, in a CHECK. The role of the signer writes no dead transfer, and that of the API neither settles nor fails a payment.',
  },
  'signer.notices': {
    source: 'stack § Database roles',
    behavior:
      'A notification of Postgres carries an id and nothing else. No text that another role notifies ends, misleads or fills a process that listens: answers are read from rows.',
  },
  'signer.public-rights': {
    source: 'stack § Database roles',
    behavior:
      'What Postgres gives to every role is revoked: temporary tables, large objects, logical messages, other databases of the owner, and advisory locks for all but the API and the worker. Each role has a limit of connections.',
  },
  'signer.roles': {
    source: 'stack § Database roles',
    behavior:
      'The API, the worker, the signer and the reader have their own database roles, which cover every table. The API role writes payouts, transfers, pauses and signing keys only through functions made for it.',
  },
  'signer.process': {
    source: 'decision',
    behavior:
      'Private keys are read by the signer only, a process that serves two Unix sockets; the environment live refuses key files elsewhere. Callers verify each signature, are refused while no signer answers, and continue when it is back.',
  },
  'signer.reads-bytes': {
    source: 'decision',
    behavior:
      'Each key ring signs only its own types, issuer, key and time, which the signer reads from the bytes themselves. A checkpoint never shrinks, and a root is signed only for the last checkpoint.',
  },
  'signer.sockets': {
    source: 'decision',
    behavior:
      'The API and workers have a socket of the rings each. A table says which of them gets a type or kind, and of which subject; only workers rotate keys, and only the API gets mandates, challenges and checkouts.',
  },
  'signer.receipts-verified': {
    source: 'decision',
    behavior:
      'A receipt that follows another comes with it, and the signer verifies its signature, digest, subject and kind itself; payout_authorized and payout_executed come with the signature of the treasury principal over the terms that they state.',
  },
  'signer.budgets': {
    source: 'decision',
    behavior:
      'Each kind of signature has a rate of its own, so that one kind never uses up the budget of another.',
  },
  'signer.counts-day': {
    source: 'decision',
    behavior:
      'The signer counts the payouts that it signed in 24 hours, each once, and signs at most twice the daily cap whatever it is given of the cap.',
  },
  'signer.log-grows': {
    source: 'decision',
    behavior:
      'The signer signs a checkpoint only with the proof that its tree begins with that of the last one that it signed, so that no second history of the log is signed, also not by a database that was restored.',
  },
  'signer.remembers': {
    source: 'decision',
    behavior:
      'The signer writes each payout that it counts and each checkpoint to a journal next to its keys before it answers. After a restart, or a kill -9, its count of the day holds, and it signs neither a smaller tree nor another root of a size.',
  },
  'signer.journal': {
    source: 'decision',
    behavior:
      'The journal is bounded: entries that no longer count are left out. A torn last line is left out; any other damage stops the start. It belongs to the process that opened it last, and after a failed write nothing more is signed.',
  },
  'signer.gas': {
    source: 'decision',
    behavior:
      'Gas wallets sign only transfers of the token by authorization and empty transactions to themselves, without value and within a largest fee.',
  },
  'signer.modules': {
    source: 'decision',
    behavior:
      'Every key of the signer may be in a PKCS#11 token or in AWS KMS instead of a file, under the same policy. The signatures verify with the published keys and recover to the wallets, with low s.',
  },
  'signer.module-rotation': {
    source: 'decision',
    behavior:
      'A rotation makes the next key of a ring inside its configured module, and the file gets only the name of the key and its public half. A repeat finds the key that was made.',
  },
  'signer.module-faults': {
    source: 'decision',
    behavior:
      'A key that is missing, of another curve, extractable or of another address than configured stops the start. A module that does not answer is asked again a bounded number of times; then the call is 503 unavailable.',
  },
  'signer.no-way-around': {
    source: 'stack § Database roles',
    behavior:
      'The API role, manual SQL and a Temporal client together cannot cause a transfer of tokens.',
  },
} as const
