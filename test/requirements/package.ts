/** What return packages, replay packages and published schemas owe. */
export const packageRequirements = {
  'package.built': {
    source: 'runs § Return package',
    behavior:
      'The return package of a run is made from its work alone. The same work always gives the same bytes, zip included.',
  },
  'package.verified': {
    source: 'runs § Return package',
    behavior:
      'A return package verifies by its signature and digests. A changed part is refused and named.',
  },
  'package.report': {
    source: 'runs § Return package',
    behavior:
      'The package has a report as one page, a README and tables as CSV. The page shows the run, its key figures, charts, findings, gaps and the first rows of each table, and says how many rows there are.',
  },
  'package.report.amounts': {
    source: 'runs § Return package',
    behavior:
      'Key figures of every rail are those of the result. Amounts are in major units of their currency where the result names one; a chart has one currency.',
  },
  'package.report.hostile': {
    source: 'runs § Return package',
    behavior:
      'No text of a caller is markup, a link, a script, a control character or a formula in the report, the README or a table.',
  },
  'package.report.verified': {
    source: 'runs § Return package',
    behavior:
      'Verification and replay make the report again. A report, README or table that is not made from the result is refused, and a version that the program does not know is refused by name.',
  },
  'package.by-strangers': {
    source: 'runs § Return package',
    behavior:
      'Third-party tools (jose, unzip and a SHA-256 tool) confirm the zip, the signature, the ledger and the digests of a package.',
  },
  'replay.verified': {
    source: 'tasks § Replay package',
    behavior:
      'A replay package is verified completely offline, and its deterministic rail gives the same result.',
  },
  'replay.withheld': {
    source: 'decision',
    behavior:
      'Until an operational run is charged, its replay package has neither its completion nor what a model drafted: all else is verified, and the verdict is indeterminate.',
  },
  'replay.tampered': {
    source: 'tasks § Replay package',
    behavior:
      'A change of any part of a replay package is refused and named, also when another key sealed the package.',
  },
  'replay.keys': {
    source: 'trust § Key status',
    behavior:
      'A saved key set decides which key signed; without one, a package is indeterminate. A signature of a revoked key is indeterminate; one of a retired key is valid up to its retirement.',
  },
  'replay.cli': {
    source: 'tasks § Replay package',
    behavior:
      'The command agent-rails replay FILE prints what was proven and by which key. Otherwise it exits with an error and the reason.',
  },
  'samples.packages': {
    source: 'runs § Samples',
    behavior:
      'A sample is the work of a rail on its published input as a package that verifies; nothing of it is stored, and its receipt says sample.',
  },
  'samples.once': {
    source: 'runs § Samples',
    behavior:
      'A sample is made and signed once in a process for each key; reads at once share it, the next key signs another, and all processes show the same receipt.',
  },
  'samples.compliance': {
    source: 'runs § Samples',
    behavior: 'Three kinds of compliance evidence are listed, and read with input and proof.',
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
