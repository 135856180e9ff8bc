/** What the rails owe: what they find in an input, and how. */
export const railRequirements = {
  'rails.registry': {
    source: 'runs § Rails',
    behavior: 'Each rail declares its key, prices and the lists that include it.',
  },
  'rails.sandbox-input': {
    source: 'runs § Rails',
    behavior:
      'Each rail has one fixed sandbox input that fits its schema; its result fits the result schema.',
  },
  'rails.citations': {
    source: 'runs § Rail work',
    behavior: 'Every citation of a result points into the input, and its quote is there.',
  },
  'rails.order': {
    source: 'runs § Rail work',
    behavior:
      'The same input gives the same bytes, and the order of its lists changes only where citations point.',
  },
  'merkle.rfc6962': {
    source: 'runs § packetops',
    behavior: 'Merkle roots are those of RFC 6962, with leaf and node prefixes.',
  },
  'packetops.digests': {
    source: 'runs § packetops',
    behavior:
      'Digests and sizes are checked against the given content. A claimed digest alone is a gap.',
  },
  'packetops.age': {
    source: 'runs § packetops',
    behavior:
      'Expired and stale items are listed as of the given date. Without a date the age is a gap.',
  },
  'packetops.sections': {
    source: 'runs § packetops',
    behavior:
      'Required sections of a profile or of the input are present, partial, unusable or missing; duplicates go by digest.',
  },
  'packetops.merkle': {
    source: 'runs § packetops',
    behavior: 'The manifest, in its own order, is sealed by a Merkle root.',
  },
  'packetops.readiness': {
    source: 'runs § packetops',
    behavior: 'The readiness score follows the rule that the result contains.',
  },
  'rails.fold': {
    source: 'runs § Rail work',
    behavior: 'The rows of a list give the same work inline and one by one.',
  },
  'financeops.matches': {
    source: 'runs § financeops',
    behavior:
      'Payments match invoices by reference, amount within tolerance and sums of several. Short and over-payments are listed.',
  },
  'financeops.exceptions': {
    source: 'runs § financeops',
    behavior: 'Duplicates, conflicts and all other cases for a person have a code and their rows.',
  },
  'financeops.ageing': {
    source: 'runs § financeops',
    behavior: 'Open amounts are aged by the days they are overdue on the given day.',
  },
  'financeops.totals': {
    source: 'runs § financeops',
    behavior:
      'Both sides balance: received amounts are set aside, allocated, tolerated or left, in any order of rows.',
  },
  'financeops.bounds': {
    source: 'runs § financeops',
    behavior: 'The search for sums of several is bounded, and what it did not try is a gap.',
  },
  'energyops.readings': {
    source: 'runs § energyops',
    behavior:
      'Missing, repeated, conflicting, negative and unusual intervals of a meter are listed, each with its rows.',
  },
  'energyops.clock-changes': {
    source: 'runs § energyops',
    behavior:
      'Days of 23 and 25 hours have their own intervals, and readings may be by UTC or by the local clock.',
  },
  'energyops.bill': {
    source: 'runs § energyops',
    behavior:
      'A bill is recomputed exactly, by band and day. It agrees, differs, or cannot be decided.',
  },
  'distributionops.shares': {
    source: 'runs § distributionops',
    behavior:
      'A pool is divided by weight within caps and minimum amounts, by largest remainder. Allocations and remainder sum exactly.',
  },
  'distributionops.refusals': {
    source: 'runs § distributionops',
    behavior:
      'Different rows of one id are not paid; equal rows count once. A pool below its fixed amounts and minimums pays no recipient.',
  },
  'diligenceops.answers': {
    source: 'runs § diligenceops',
    behavior:
      'Each question gets the best passages by BM25 that reach min_score, each with its place and offsets.',
  },
  'diligenceops.coverage': {
    source: 'runs § diligenceops',
    behavior: 'Questions without a passage are listed and counted, the required ones apart.',
  },
  'diligenceops.conflicts': {
    source: 'runs § diligenceops',
    behavior:
      'Sentences that give different dates or numbers about one subject are listed with both quotes.',
  },
  'scout.ranking': {
    source: 'runs § scout',
    behavior:
      'Services are ranked by how well their capabilities meet the parts of a task, each with its reasons.',
  },
  'scout.exclusions': {
    source: 'runs § scout',
    behavior:
      'A service that is not ranked is excluded with the reason: constraint, state, no match or limit.',
  },
  'scout.missing': {
    source: 'runs § scout',
    behavior: 'The parts of a task that no service meets are named.',
  },
  'rails.rows': {
    source: 'runs § Inputs',
    behavior:
      'A list comes as a stream of CSV or JSON Lines, each row checked; the first wrong record is named by its line, and nothing is read ahead.',
  },
  'tokenops.costs': {
    source: 'runs § tokenops',
    behavior:
      'Usage is priced exactly by model, agent and day; models without one price are gaps and in no sum.',
  },
  'tokenops.budget': {
    source: 'runs § tokenops',
    behavior: 'The use of a budget is computed, and forecast over its period from the rate so far.',
  },
  'tokenops.anomalies': {
    source: 'runs § tokenops',
    behavior: 'Rows of a model and days of an agent with a modified z-score over 3.5 are named.',
  },
  'rails.words': {
    source: 'runs § Rail work',
    behavior:
      'Days, sums, shares, lengths and counts are read from English text. An ambiguous text is reported as such.',
  },
  'rails.bounded': {
    source: 'runs § Rail work',
    behavior:
      'No accepted text keeps a rail busy without end. What was left out for that reason is a gap.',
  },
  'contractops.facts': {
    source: 'runs § contractops',
    behavior: 'Parties, dates and amounts of a contract are found, each with its place.',
  },
  'contractops.terms': {
    source: 'runs § contractops',
    behavior:
      'Term, renewal and notice are read, and the days that follow from them computed by the stated convention.',
  },
  'contractops.obligations': {
    source: 'runs § contractops',
    behavior: 'What each party must and must not do is listed with the sentence that says so.',
  },
  'contractops.uncertain': {
    source: 'runs § contractops',
    behavior:
      'What a contract leaves open or says in two ways is listed, and what was not found is a gap.',
  },
} as const
