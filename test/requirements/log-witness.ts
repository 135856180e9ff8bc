/** Requirements on the witness and the auditor of the transparency log: id → source and behavior. */
export const logWitnessRequirements = {
  'log.foreign-input': {
    source: 'witness § Foreign input',
    behavior:
      'Notes, keys, proofs kept files and add-checkpoint requests of strangers never crash a reader or take it over 50 ms, and its time grows at most with their length.',
  },
  'log.witness.judged': {
    source: 'witness § Witness',
    behavior:
      'A witness cosigns a checkpoint only if it is signed by the log and follows from the checkpoint that it cosigned last.',
  },
  'log.witness.endpoint': {
    source: 'witness § Witness',
    behavior:
      'The witness answers add-checkpoint with 200, 400, 403, 404, 409 or 422 as C2SP tlog-witness demands, and serves its last cosigned checkpoint.',
  },
  'log.witness.follows': {
    source: 'witness § Witness',
    behavior:
      'agent-rails witness URL follows a log by its static files, and makes a key that only its user can read.',
  },
  'log.witness.state': {
    source: 'witness § Witness',
    behavior:
      'A witness stores a checkpoint before it answers the cosignature. After a restart it never goes back, and never cosigns two roots for one size.',
  },
  'log.push': {
    source: 'witness § Push',
    behavior:
      'The log sends each new checkpoint to the configured witnesses and stores only cosignatures of their keys. A witness that does not answer holds up nothing.',
  },
  'log.continues': {
    source: 'decision',
    behavior:
      'After a restore to an earlier point the log continues under a new origin, which names the leaves that are lost and the last checkpoint that is known outside. The check of a restore prints the setting; the audit holds the new log to everything that was restored, and says of the rest that it is not in this log.',
  },
  'log.audit.honest': {
    source: 'witness § Audit',
    behavior: 'The auditor finds nothing in an honest log, whatever was kept of it.',
  },
  'log.audit.deceptions': {
    source: 'witness § Audit',
    behavior:
      'From kept checkpoints, proofs and receipts and the public files of the log, the auditor finds a split view, a rewritten leaf, a dropped leaf and a back-dated leaf.',
  },
} as const
