/** Requirements on the transparency log: id → source and behavior. */
export const logRequirements = {
  'log.merkle': {
    source: 'log § Tree',
    behavior:
      'Roots, inclusion and consistency proofs are those of RFC 9162; a proof with one changed bit, a missing or a further hash is refused.',
  },
  'log.tiles': {
    source: 'log § Tiles',
    behavior:
      'Tiles and entry bundles have the one path of C2SP tlog-tiles, and every root and proof can be computed from them across their borders.',
  },
  'log.checkpoint': {
    source: 'log § Checkpoints',
    behavior:
      'A checkpoint is a signed note of the key of its log; any other text, key or cosignature is refused with its reason.',
  },
  'log.forged-receipts': {
    source: 'log § Writing',
    behavior:
      'A stored row that no receipt key signed for its subject and kind counts for no step and is no leaf: the sequencer verifies each queued receipt in a thread, sets such a row aside with an error in the log, and the genuine receipt takes its place.',
  },
  'log.outbox': {
    source: 'log § Writing',
    behavior:
      'A stored receipt enters the outbox of the log in its own transaction; its entry is the SHA-256 of its JWS.',
  },
  'log.delay': {
    source: 'log § Writing',
    behavior:
      'A receipt stands in a signed checkpoint within a second of its transaction, while workers run.',
  },
  'log.sequence': {
    source: 'log § Writing',
    behavior:
      'One sequencer at a time puts queued receipts into the log in batches with a signed checkpoint; a death at any step loses and repeats nothing.',
  },
  'log.one-root': {
    source: 'log § Writing',
    behavior:
      'Leaves are committed before their root is signed: whatever dies in between, no two roots of one size are ever signed.',
  },
  'log.killed': {
    source: 'log § Writing',
    behavior:
      'A worker or signer that is killed at any statement of the sequencer, or while it stores a cosignature, loses nothing: each receipt is one leaf, and each signed root is that of its leaves.',
  },
  'log.append-only': {
    source: 'log § Writing',
    behavior:
      'No row of the log changes or goes; nothing enters that is no queued receipt, and nothing is signed on top of changed leaves.',
  },
  'log.http.proofs': {
    source: 'log § Proofs',
    behavior:
      'Inclusion and consistency proofs answer for every tree that the log has reached, and 404 for all others.',
  },
  'log.http.tiles': {
    source: 'log § Tiles',
    behavior:
      'Full and partial tiles and bundles of entries are public files that never change; any other path is 404.',
  },
  'log.http.checkpoint': {
    source: 'log § Checkpoints',
    behavior:
      'The latest checkpoint is served with its signature and the cosignatures of configured witnesses, and no others.',
  },
  'log.http.bundle': {
    source: 'log § Bundles',
    behavior:
      'A bundle is the receipt with its proof, a checkpoint and the keys, also as a COSE receipt; each change of it is refused with its reason.',
  },
} as const
