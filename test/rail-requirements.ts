/** What the rails owe: what they find in an input, and how. */
export const railRequirements = {
  'rails.registry': {
    source: 'endpoints.md § 22.1 Rails and where they take part',
    behavior: 'Each rail declares its key, prices and the lists it is on, as the table has them.',
  },
  'rails.sandbox-input': {
    source: 'endpoints.md § 1.1 Ground rules',
    behavior: 'Each rail has one fixed sandbox input, which its schema takes and its work answers by schema.',
  },
  'rails.citations': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Every citation of a result points into the input, and its quote stands there.',
  },
  'rails.order': {
    source: 'tasks.md § Rails do real work',
    behavior: 'The same input gives the same bytes, and the order of its lists changes only where citations point.',
  },
  'merkle.rfc6962': {
    source: 'decision',
    behavior: 'Merkle roots are those of RFC 6962, with leaf and node prefixes.',
  },
  'packetops.digests': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Digests and sizes are checked against the content given; what is only claimed is a gap.',
  },
  'packetops.age': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Expired and stale items are told as of the given date; without it nothing is judged, and that is a gap.',
  },
  'packetops.sections': {
    source: 'tasks.md § Rails do real work',
    behavior:
      'Required sections of a profile or of the input are present, partial, unusable or missing; duplicates go by digest.',
  },
  'packetops.merkle': {
    source: 'tasks.md § Rails do real work',
    behavior: 'The manifest, in an order of its own, is sealed by a Merkle root.',
  },
  'packetops.readiness': {
    source: 'decision',
    behavior: 'The readiness score follows the rule that stands in the result.',
  },
  'rails.fold': {
    source: 'tasks.md § Rails do real work',
    behavior: 'The rows of a list come to the same work whether they stand in the input or are taken one by one.',
  },
  'financeops.matches': {
    source: 'tasks.md § Rails do real work',
    behavior:
      'Payments meet invoices by reference, amount within tolerance and sums of several; short and over-payments are told.',
  },
  'financeops.exceptions': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Duplicates, conflicts and whatever else somebody has to look at have a code and their rows.',
  },
  'financeops.ageing': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Open amounts are aged by the days they are overdue on the given day.',
  },
  'financeops.totals': {
    source: 'decision',
    behavior:
      'Both sides balance: what came in is set aside, allocated, tolerated or left, whatever the order of rows.',
  },
  'financeops.bounds': {
    source: 'decision',
    behavior: 'The search for sums of several is bounded, and what it did not try is a gap.',
  },
  'energyops.readings': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Missing, repeated, conflicting, negative and unusual intervals of a meter are told, each with its rows.',
  },
  'energyops.clock-changes': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Days of 23 and 25 hours have their own intervals, and readings may be by UTC or by the local clock.',
  },
  'energyops.bill': {
    source: 'tasks.md § Rails do real work',
    behavior: 'A bill is recomputed exactly, band by band and day by day; it agrees, is off, or cannot be told.',
  },
  'distributionops.shares': {
    source: 'tasks.md § Rails do real work',
    behavior:
      'A pool is divided by weight within caps and floors, by largest remainder; allocations and remainder sum exactly.',
  },
  'distributionops.refusals': {
    source: 'decision',
    behavior:
      'Rows of one id that differ are not paid, equal ones count once; a pool below fixed amounts and floors pays nobody.',
  },
  'diligenceops.answers': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Each question gets the best passages by BM25 that reach min_score, each with its place and offsets.',
  },
  'diligenceops.coverage': {
    source: 'tasks.md § Rails do real work',
    behavior: 'What no passage answers is listed and counted, the required questions apart.',
  },
  'diligenceops.conflicts': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Sentences about the same thing that give different dates or numbers are told with both quotes.',
  },
  'scout.ranking': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Services are ranked by how well their capabilities meet the parts of a task, each with its reasons.',
  },
  'scout.exclusions': {
    source: 'endpoints.md § 2.1 RailInput and result by rail',
    behavior: 'A service that is not ranked is excluded with the reason: constraint, state, no match or limit.',
  },
  'scout.missing': {
    source: 'tasks.md § Rails do real work',
    behavior: 'The parts of a task that no service meets are named.',
  },
  'rails.rows': {
    source: 'tasks.md § Rails do real work',
    behavior:
      'A list comes as a stream of CSV or JSON Lines, each row checked; the first wrong record is named by its line, and nothing is read ahead.',
  },
  'tokenops.costs': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Usage is priced exactly by model, agent and day; models without one price are gaps and in no sum.',
  },
  'tokenops.budget': {
    source: 'tasks.md § Rails do real work',
    behavior: 'The use of a budget is told, and forecast over its period from the rate so far.',
  },
  'tokenops.anomalies': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Rows of a model and days of an agent with a modified z-score over 3.5 are named.',
  },
  'rails.words': {
    source: 'decision',
    behavior: 'Days, sums, shares, lengths and counts are read from English text; what has two readings says so.',
  },
  'rails.bounded': {
    source: 'decision',
    behavior: 'No text that an input may hold keeps a rail busy for ever; what was left out for that is a gap.',
  },
  'contractops.facts': {
    source: 'tasks.md § Rails do real work',
    behavior: 'Parties, dates and amounts of a contract are found, each with its place.',
  },
  'contractops.terms': {
    source: 'tasks.md § Rails do real work',
    behavior:
      'Term, renewal and notice are read, and the days that follow from them computed by the stated convention.',
  },
  'contractops.obligations': {
    source: 'tasks.md § Rails do real work',
    behavior: 'What each party must and must not do is listed with the sentence that says so.',
  },
  'contractops.uncertain': {
    source: 'endpoints.md § 2.1 RailInput and result by rail',
    behavior: 'What a contract leaves open or says in two ways is listed, and what was not found is a gap.',
  },
} as const
