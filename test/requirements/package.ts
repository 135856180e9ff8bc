/** What return packages, replay packages and published schemas owe. */
export const packageRequirements = {
  'package.built': {
    source: 'runs § Return package',
    behavior:
      'The package of a run is made of its work alone, and the same work always makes the same bytes, zip included.',
  },
  'package.verified': {
    source: 'runs § Return package',
    behavior:
      'A return package verifies by its signature and digests; a changed part is refused and named.',
  },
  'package.by-strangers': {
    source: 'runs § Return package',
    behavior:
      'Tools of others, jose, unzip and a SHA-256, come to the same about zip, signature, ledger and digests.',
  },
  'replay.verified': {
    source: 'tasks § Replay package',
    behavior:
      'A replay package is held against everything in it, offline, and its deterministic rail gives the same result again.',
  },
  'replay.tampered': {
    source: 'tasks § Replay package',
    behavior:
      'A change of any part of a replay package is refused and named, also where the package was sealed anew by another key.',
  },
  'replay.keys': {
    source: 'trust § Key status',
    behavior:
      'A saved key set decides who signed; what a revoked key signed is indeterminate, what a retired one signed up to its end stands.',
  },
  'replay.cli': {
    source: 'tasks § Replay package',
    behavior:
      '`agent-rails replay FILE` prints what was proven, by which key, and exits non-zero with a reason otherwise.',
  },
  'schemas.published': {
    source: 'trust § Schemas',
    behavior:
      'Each schema document is printed from the schema that parses, with its URL as $id and its digest in the index.',
  },
  'schemas.immutable': {
    source: 'trust § Schemas',
    behavior: 'A schema document that was published does not change: a change is a new version.',
  },
} as const
