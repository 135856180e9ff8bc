/** What return packages, replay packages and published schemas owe. */
export const packageRequirements = {
  'package.built': {
    source: 'endpoints.md § 2 Shared shapes and types',
    behavior:
      'The package of a run is made of its work alone, and the same work always makes the same bytes, zip included.',
  },
  'package.verified': {
    source: 'authority.md § Verification anyone can run',
    behavior: 'A return package verifies by its signature and digests; a changed part is refused and named.',
  },
  'package.by-strangers': {
    source: 'authority.md § Verification anyone can run',
    behavior: 'Tools of others, jose, unzip and a SHA-256, come to the same about zip, signature, ledger and digests.',
  },
  'replay.verified': {
    source: 'tasks.md § Exceptions and recovery',
    behavior:
      'A replay package is held against everything in it, offline, and its deterministic rail gives the same result again.',
  },
  'replay.tampered': {
    source: 'tasks.md § Exceptions and recovery',
    behavior:
      'A change of any part of a replay package is refused and named, also where the package was sealed anew by another key.',
  },
  'replay.keys': {
    source: 'authority.md § Verification anyone can run',
    behavior:
      'A saved key set decides who signed; what a revoked key signed is indeterminate, what a retired one signed up to its end stands.',
  },
  'replay.cli': {
    source: 'tasks.md § Exceptions and recovery',
    behavior:
      '`agent-rails replay FILE` prints what was proven, by which key, and exits non-zero with a reason otherwise.',
  },
  'schemas.published': {
    source: 'endpoints.md § 22.6 Schema documents under /schemas',
    behavior:
      'Each schema document is printed from the schema that parses, with its URL as $id and its digest in the index.',
  },
  'schemas.immutable': {
    source: 'endpoints.md § 25 Well-known documents in detail',
    behavior: 'A schema document that was published does not change: a change is a new version.',
  },
} as const
