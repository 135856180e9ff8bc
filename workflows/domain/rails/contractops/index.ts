import type { Finding, GapRules, Rail, Work } from '../rail.ts'
import { dayOf } from '../values/calendar.ts'
import { tiersOf } from '../work/tiers.ts'
import { finishedWork, inOrder, judgedGaps } from '../work/work.ts'
import { contractopsAudit } from './audit.ts'
import { type Contract, readContract, spanOf } from './contract.ts'
import { governingLawOf, lawsDiffer } from './governing-law.ts'
import { capsDiffer, liabilityCapsOf } from './liability.ts'
import { amountsOf, datesOf } from './mentioned.ts'
import { obligationsOf } from './obligations.ts'
import { partiesOf } from './parties.ts'
import { contractopsInput } from './sample.ts'
import { CONTRACT_CHARS_MAX, ContractInput, ContractResult, type Uncertain } from './schema.ts'
import { statedTimes } from './stated.ts'
import { disagreements, termsOf } from './terms.ts'

export { contractopsInput } from './sample.ts'
export type { ContractResult } from './schema.ts'

const text = { kind: 'advisory', pointer: '/text' } as const
const gapRules = {
  attachment_not_supplied: {
    kind: 'needed',
    pointer: '/text',
    filled_by: 'the text of the attachment, under its name',
  },
  as_of_missing: { kind: 'advisory', pointer: '/as_of', filled_by: 'the day to judge terms on' },
  parties_not_found: { ...text, filled_by: 'the text with its preamble' },
  effective_date_not_found: { ...text, filled_by: 'the text with the day on which it begins' },
  term_not_found: { ...text, filled_by: 'the text with its clause on term' },
  business_days_not_counted: { ...text, filled_by: 'a notice period in days or months' },
  obligations_not_found: { ...text, filled_by: 'the text with the duties of the parties' },
  obligations_incomplete: { ...text, filled_by: 'the text in several runs' },
} as const satisfies GapRules

export const contractops: Rail<ContractInput, ContractResult> = {
  key: 'contractops',
  about: {
    summary:
      'Reads a contract: parties, dates, amounts, terms, renewal and notice, liability caps, governing law, and who must do what.',
    capabilities: [
      'extract parties, dates and amounts from a contract',
      'compute renewal dates and notice deadlines of a contract',
      'find liability caps and the governing law of a contract',
      'list the obligations of each party with quotes',
      'name what a contract leaves uncertain',
    ],
    asks: [
      'read a contract, agreement, lease, licence or NDA',
      'when does a contract end, expire or renew by itself',
      'how can we cancel or leave an agreement, and by when',
      'notice period and deadlines of a lease',
      'what do we have to do under an agreement',
      'duties in a signed document',
      'is liability capped',
      'which law governs an agreement',
      'payment terms of a services agreement',
      'summarize the terms of an agreement',
      'vague, ambiguous or blank clauses',
    ],
  },
  takes: {
    paidAgentUse: false,
    quickstart: false,
    pricingModelV2: false,
    controlledLoop: 'future',
    offer: false,
    requestedTool: false,
  },
  prices: null,
  tiers: tiersOf({
    entry: {
      depth: 'parties, dates and terms',
      leaves_out: ['amounts', 'liability_caps', 'governing_law', 'obligations'],
      leaves_out_codes: ['obligations_incomplete', 'obligations_not_found'],
    },
    whole: 'all of it, with amounts, liability caps, governing law and obligations',
    rows: null,
  }),
  input: ContractInput,
  result: ContractResult,
  sandboxInput: contractopsInput,
  gapRules,
  audit: contractopsAudit,
  parameters: ['as_of'],
  documents: { within: null, text: 'text', charsMax: CONTRACT_CHARS_MAX, images: false },
  work,
}

/** Decision: a deadline is reported when it is this near. */
const SOON_DAYS = 90

function work({ text, as_of }: ContractInput): Work<ContractResult> {
  const contract = readContract(text)
  const parties = partiesOf(contract)
  const dates = datesOf(contract)
  const stated = statedTimes(contract, dates)
  const liability_caps = liabilityCapsOf(contract, parties)
  const governing_law = governingLawOf(contract)
  const { obligations, uncertain, complete } = obligationsOf(contract, parties)
  const result: ContractResult = {
    as_of: as_of ?? null,
    parties,
    dates,
    amounts: amountsOf(contract),
    terms: termsOf(stated, as_of),
    liability_caps,
    governing_law,
    obligations,
    uncertain: [
      ...disagreements(stated),
      ...capsDiffer(liability_caps),
      ...lawsDiffer(governing_law),
      ...uncertain,
      ...readings(contract),
    ].toSorted(
      inOrder<Uncertain>(
        ({ code }) => code,
        ({ citations }) => citations[0]?.from ?? 0,
      ),
    ),
  }
  const gaps = gapsOf(contract, result)
  if (!complete) gaps.push(incompleteGap)
  return finishedWork(result, deadlines(result), judgedGaps(gapRules, gaps))
}

const incompleteGap: Finding = {
  code: 'obligations_incomplete',
  detail: 'sentences hold too many duties to tell all',
  citations: [],
}

const blanks = /_{3,}|\[\s*(?:●|•|_+|TBD|TBC|insert[^\]\n]{0,1000}|date|name|amount)\s*\]|\bTBD\b/gi

/** What can be read in two ways, or not at all. */
function readings(contract: Contract): Uncertain[] {
  const empty = [...contract.text.matchAll(blanks)].map(({ 0: blank, index }) => ({
    from: index,
    to: index + blank.length,
  }))
  return [
    ...empty.map((part) => ({
      code: 'blank' as const,
      detail: 'left to be filled in',
      citations: [spanOf(contract, part)],
    })),
    ...contract.sentences.flatMap(({ dates, quantities }) => [
      ...dates
        .filter(({ other }) => other !== null)
        .map((date) => ({
          code: 'ambiguous_date' as const,
          detail: `${date.day} or ${date.other}`,
          citations: [spanOf(contract, date)],
        })),
      ...quantities
        .filter(({ spelled, value }) => spelled !== null && spelled !== value)
        .map((quantity) => ({
          code: 'words_and_figures_differ' as const,
          detail: `${quantity.spelled} in words and ${quantity.value} in figures (${quantity.unit})`,
          citations: [spanOf(contract, quantity)],
        })),
    ]),
  ]
}

function deadlines({ terms, as_of }: ContractResult): Finding[] {
  const { notice, current_term_ends_on: end, renews_on: renews } = terms
  if (as_of === null || end === null) return []
  const days = (day: string) => dayOf(day) - dayOf(as_of)
  if (renews === null && days(end) < 0)
    return [{ code: 'term_ended', detail: `the term ended on ${end}`, citations: [] }]
  if (notice === null || notice.deadline_on === null) return []
  const citations = [notice.length.citation].map(({ pointer, quote }) => ({ pointer, quote }))
  const left = days(notice.deadline_on)
  if (left < 0)
    return [
      {
        code: 'notice_passed',
        detail: `notice against ${renews ?? end} was due by ${notice.deadline_on}`,
        citations,
      },
    ]
  if (left > SOON_DAYS) return []
  return [{ code: 'notice_due_soon', detail: `notice is due by ${notice.deadline_on}`, citations }]
}

const attachmentOf = (name: string) => name.replace(/\s+/g, ' ').toLowerCase()

/** The attachments whose names begin a line. */
function headingsOf(text: string): Set<string> {
  const named = text.matchAll(/(?:Exhibit|Schedule|Annex|Appendix)\s+(?:[a-z]|\d{1,2})\b/gi)
  const heads = [...named].filter(({ index }) => {
    let before = index - 1
    while (before >= 0 && /[^\S\n\r\u2028\u2029]/.test(text.charAt(before))) before -= 1
    return before < 0 || /[\n\r\u2028\u2029]/.test(text.charAt(before))
  })
  return new Set(heads.map(([name]) => attachmentOf(name)))
}

function gapsOf(
  { text, sentences }: Contract,
  { as_of, parties, terms, obligations }: ContractResult,
): Finding[] {
  const perpetual = terms.initial_term === null && terms.ends_on === null
  const attached = [...text.matchAll(/\b(Exhibit|Schedule|Annex|Appendix)\s+([A-Z]|\d{1,2})\b/g)]
  const supplied = headingsOf(text)
  const missing = new Map(
    attached
      .filter(([name]) => !supplied.has(attachmentOf(name)))
      .map(({ 0: name, index }) => [
        name.replace(/\s+/g, ' '),
        { pointer: '/text', quote: text.slice(index, index + name.length) },
      ]),
  )
  const gaps: Finding[] = [...missing].map(([name, citation]) => ({
    code: 'attachment_not_supplied',
    detail: `${name} is referred to and not part of the text`,
    citations: [citation],
  }))
  const add = (code: string, detail: string) => gaps.push({ code, detail, citations: [] })
  if (as_of === null) add('as_of_missing', 'without as_of the first term is taken to run')
  if (parties.length === 0)
    add('parties_not_found', 'the preamble names no parties that could be read')
  if (terms.effective_on === null) add('effective_date_not_found', 'no day is called its beginning')
  if (perpetual) add('term_not_found', 'neither a length nor an end of the term was found')
  if (terms.notice?.length.unit === 'business days')
    add(
      'business_days_not_counted',
      'which days are business days the text does not say, so no deadline is computed',
    )
  if (obligations.length === 0)
    add('obligations_not_found', `none in ${sentences.length} sentences`)
  return gaps
}
