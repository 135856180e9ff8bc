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
} as const
