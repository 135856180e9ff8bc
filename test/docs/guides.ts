/** A file that is added, or what is added to one after a text that it has once. */
export type Change = { path: string } & ({ text: string } | { after: string; add: string })

const rails = 'workflows/domain/rails'

/** A rail as the guide “Add a rail” has it: one folder, one line in each of three lists, and its cases. */
export const addedRail: readonly Change[] = [
  { path: `${rails}/rail.ts`, after: "  'scout',\n", add: "  'countops',\n" },
  {
    path: `${rails}/registered.ts`,
    after: "export { contractops } from './contractops/index.ts'\n",
    add: "export { countops } from './countops/index.ts'\n",
  },
  {
    path: `${rails}/plans.ts`,
    after: "export { contractopsReport as contractops } from './contractops/report.ts'\n",
    add: "export { countopsReport as countops } from './countops/report.ts'\n",
  },
  {
    path: `${rails}/countops/report.ts`,
    text: unmarked(`|import type { ReportPlan } from '../report/plan.ts'
|
|export const countopsReport: ReportPlan = {
|  title: 'Words of a text',
|  figures: [
|    { label: 'Words', at: '/words' },
|    { label: 'Different words', at: '/different' },
|  ],
|  charts: [],
|  tables: ['counts'],
|  columns: ['word', 'times'],
|}
`),
  },
  {
    path: `${rails}/countops/index.ts`,
    text: unmarked(`|import { z } from 'zod'
|import type { GapRules, Rail, Work } from '../rail.ts'
|import { auditOf, differs } from '../work/audit.ts'
|import { tiersOf } from '../work/tiers.ts'
|import { finishedWork, inOrder, judgedGaps } from '../work/work.ts'
|
|const Input = z.strictObject({ text: z.string().max(10_000) })
|const Result = z.strictObject({
|  words: z.int().min(0),
|  different: z.int().min(0),
|  counts: z.array(z.strictObject({ word: z.string(), times: z.int().min(1) })),
|})
|type Input = z.output<typeof Input>
|type Result = z.output<typeof Result>
|
|const gapRules = {
|  no_words: { kind: 'needed', pointer: '/text', filled_by: 'a text with words' },
|} as const satisfies GapRules
|
|const wordsOf = (text: string) => text.split(/\\s+/).filter((word) => word !== '')
|
|const audit = auditOf<Input, Result>(
|  {
|    words_counted: 'the words of the text, split again',
|    different_counted: 'the different words of the text',
|    counts_add_up: 'the counts, added up',
|    counts_once: 'each word of the counts',
|  },
|  ({ text }, { result: { words, different, counts = [] } }) => ({
|    words_counted: differs('words', words, wordsOf(text).length),
|    different_counted: differs('different', different, new Set(wordsOf(text)).size),
|    counts_add_up: differs('the sum', counts.reduce((sum, { times }) => sum + times, 0), words),
|    counts_once: differs('counts', new Set(counts.map(({ word }) => word)).size, counts.length),
|  }),
|)
|
|/** Counts the words of a text. */
|export const countops: Rail<Input, Result> = {
|  key: 'countops',
|  about: {
|    summary: 'Counts the words of a text.',
|    capabilities: ['count the words of a text'],
|    asks: ['how long is this text'],
|  },
|  takes: {
|    paidAgentUse: false,
|    quickstart: false,
|    pricingModelV2: false,
|    controlledLoop: 'future',
|    offer: false,
|    requestedTool: false,
|  },
|  prices: null,
|  tiers: tiersOf({
|    entry: { depth: 'the words', leaves_out: ['different'], leaves_out_codes: [] },
|    whole: 'all of it',
|    rows: null,
|  }),
|  input: Input,
|  result: Result,
|  sandboxInput: { text: 'one word and one more' },
|  inputWithGaps: { text: '' },
|  gapRules,
|  audit,
|  work,
|}
|
|function work({ text }: Input): Work<Result> {
|  const words = wordsOf(text)
|  const times = new Map<string, number>()
|  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1)
|  const counts = [...times].map(([word, times]) => ({ word, times }))
|  const result = {
|    words: words.length,
|    different: counts.length,
|    counts: counts.toSorted(inOrder(({ word }) => word)),
|  }
|  const citations = [{ pointer: '/text', quote: text }]
|  const found = [{ code: 'counted', detail: \`\${words.length} words\`, citations }]
|  const gaps = words.length > 0 ? [] : [{ code: 'no_words', detail: 'no words', citations }]
|  return finishedWork(result, found, judgedGaps(gapRules, gaps))
|}
`),
  },
  {
    path: `test/${rails}/countops/cases.ts`,
    text: unmarked(`|import type { RailCases } from '../cases.ts'
|import { prose } from '../prose.ts'
|
|export const cases: RailCases = {
|  declared: [false, false, false, 'future', false, false, null],
|  figures: ({ words, different }) => ({ Words: words, 'Different words': different }),
|  planted: {
|    words_counted: (result) => {
|      result.words += 1
|    },
|    different_counted: (result) => {
|      result.different += 1
|    },
|    counts_add_up: (result) => {
|      result.counts[0].times += 1
|    },
|    counts_once: (result) => {
|      result.counts.push(result.counts[0])
|    },
|  },
|  input: (roll) => ({ text: prose(10, roll) }),
|}
`),
  },
]

/** An operation as the guide “Add an operation” has it: its declaration, its name in the list, its example, a requirement and a test. */
export const addedOperation: readonly Change[] = [
  {
    path: 'api/operations/log.ts',
    after: "import { Count, ProofPath, TreeSize } from '../shapes/log.ts'\n",
    add: unmarked(`|
|/** GET /api/log/hash: by which hash the tree is made. */
|const logHash = operation({
|  id: 'log-hash',
|  summary: 'Read by which hash the tree of the transparency log is made.',
|  http: { method: 'GET', path: '/api/log/hash', host: 'base' },
|  access: 'public',
|  output: z.strictObject({ hash: z.literal('sha-256') }).meta({ id: 'LogHash' }),
|  handle: async () => ({ body: { hash: 'sha-256' } as const }),
|})
`),
  },
  { path: 'api/operations/log.ts', after: 'export const transparencyLog = [', add: 'logHash, ' },
  {
    path: 'api/examples/log.ts',
    after: 'export const logExamples = {\n',
    add: "  'log-hash': { input: {}, output: { hash: 'sha-256' } },\n",
  },
  {
    path: 'test/requirements/log.ts',
    after: 'export const logRequirements = {\n',
    add: "  'log.hash': { source: 'log § Tree', behavior: 'Anyone reads by which hash the tree is made.' },\n",
  },
  {
    path: 'test/api/operations/log-hash.test.ts',
    text: unmarked(`|import { expect } from 'vitest'
|import { openapiDocument } from '../../../api/http/openapi.ts'
|import { operations } from '../../../api/operations/index.ts'
|import { verifies } from '../../verifies.ts'
|
|verifies('log.hash', 'the document has the path of the hash', () => {
|  const urls = { baseUrl: 'http://127.0.0.1:3000', osUrl: 'http://127.0.0.1:3001' }
|  expect(JSON.stringify(openapiDocument(operations, urls))).toContain('/api/log/hash')
|})
`),
  },
]

/** A text whose lines begin with a mark, so that no check takes its imports for those of this file. */
function unmarked(text: string): string {
  return text.replaceAll(/^\|/gm, '')
}
