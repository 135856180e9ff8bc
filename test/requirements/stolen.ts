/** Requirements on what the holder of one stolen thing can do: id → source and behavior. Each is a line of docs/security.md. */
export const stolenRequirements = {
  'stolen.role-api': {
    source: 'decision',
    behavior:
      'The database role of the API changes no payout, transfer, pause or key by SQL, opens no session of an operator, and forges no receipt that counts.',
  },
  'stolen.role-worker': {
    source: 'decision',
    behavior:
      'The database role of the worker has no transfer signed that the principal did not sign, ends no transfer without its block, writes no session, no pause and no decision, names an operator for nothing but a recovery, which the command line makes with this role, and forges no receipt that counts.',
  },
  'stolen.role-signer': {
    source: 'decision',
    behavior:
      'The database role of the signer reads three tables, and signs or parks transfers that are reserved. It neither ends one nor changes its terms.',
  },
  'stolen.role-reader': {
    source: 'decision',
    behavior: 'The database role of the reader changes and locks nothing.',
  },
  'stolen.socket-api': {
    source: 'decision',
    behavior:
      'The socket of the API gets no receipt of a payout’s transition, statement, completion of real work, callback or checkpoint, and changes no key.',
  },
  'stolen.socket-worker': {
    source: 'decision',
    behavior:
      'The socket of workers gets no mandate, challenge, checkout or decision, and no authorized or executed receipt for what the principal did not sign.',
  },
  'stolen.socket-wallets': {
    source: 'decision',
    behavior:
      'The socket of the wallets pays only what the principal signed, at most twice the daily cap in 24 hours, and a gas wallet sends only payouts that are signed and payments to the service.',
  },
  'stolen.temporal': {
    source: 'decision',
    behavior:
      'A client of Temporal alone funds, approves and pays nothing, starts one run for each time of a schedule, and ends no reconciliation that has not compared everything.',
  },
  'stolen.session': {
    source: 'decision',
    behavior:
      'An operator’s session authorizes and executes no payout, makes no operator, and ends after eight hours, when it is ended, or with its operator.',
  },
  'stolen.process-api': {
    source: 'decision',
    behavior: 'The API’s process, with its role, its socket and Temporal, has no transfer made.',
  },
  'stolen.process-worker': {
    source: 'decision',
    behavior:
      'The worker’s process has nothing signed for other terms than the principal’s, above the limits of the signer, or for the API alone.',
  },
  'stolen.cage': {
    source: 'decision',
    behavior:
      'The process of the cage holds no credential and reaches no server, and its answers are read as a stranger’s.',
  },
  'stolen.folder': {
    source: 'decision',
    behavior:
      'Each container sees the folders of its own part: private keys lie in that of the signer alone, which no other container reads once it is set up.',
  },
} as const
