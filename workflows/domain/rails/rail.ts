import type { z } from 'zod'
import type { PlannedDraft } from './drafts/draft.ts'
import type { Form, Headings } from './form.ts'

export const railKeys = [
  'packetops',
  'diligenceops',
  'energyops',
  'distributionops',
  'tokenops',
  'financeops',
  'contractops',
  'scout',
] as const
export type RailKey = (typeof railKeys)[number]
export const isRail = (name: string): name is RailKey => railKeys.some((key) => key === name)

/** The rails that a work order names as its tool; each declares it too, and a test compares. */
export const requestedTools = [
  'packetops',
  'distributionops',
  'tokenops',
] as const satisfies readonly RailKey[]

export const tiers = ['entry', 'standard', 'pro'] as const
export type Tier = (typeof tiers)[number]

export const reportFormats = ['json', 'html', 'markdown', 'csv', 'jsonl'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** What a run of a tier gets of its rail. */
export type TierTerms = {
  depth: string
  /** Members of the result that it has not. */
  leaves_out: string[]
  /** Codes of findings and of advisory gaps that it has not, since they say what those members say. */
  leaves_out_codes: string[]
  /** Rows or items of all lists of an input together; null where the input has no lists. */
  rows_max: number | null
  /** Bytes of an input with its uploads. */
  bytes_max: number
  /** How often its agent may change the input of one task. */
  reruns_max: number
  report_formats: ReportFormat[]
  /** Decision: the aim for queued work, which is begun in this order. */
  turnaround_hours: number
}
export type Tiers = Readonly<Record<Tier, TierTerms>>

/** A check of finished work: its name, and what it holds against what. */
export type PlannedCheck = { check: string; of: string }
/** Of each check by its name: what is wrong, null where it holds. */
export type AuditOutcome = Readonly<Record<string, string | null>>

/**
 * How a rail's finished work is checked by other ways than those that made it. `plan` derives the checks from an input (with or
 * without its long lists); `open` takes the rows of its lists one by one and then makes exactly these checks.
 */
export type Audit<Result = unknown> = {
  plan(input: unknown): PlannedCheck[]
  open(input: unknown): Auditing<Result>
}
type Auditing<Result = unknown> = {
  take(list: string, row: unknown, index: number): void
  close(work: Work<Result>): AuditOutcome
}

/** Where a rail takes part; a rail declares it, and no shared code names a rail. */
type Takes = {
  paidAgentUse: boolean
  quickstart: boolean
  pricingModelV2: boolean
  controlledLoop: 'current' | 'future'
  offer: boolean
  requestedTool: boolean
}

/** A place in the input, as an RFC 6901 pointer (`/usage/17`), and the words that stand there where words matter. */
export type Citation = { pointer: string; quote?: string }
export type Finding = { code: string; detail: string; citations: Citation[] }
export const gapKinds = ['needed', 'advisory'] as const
/** `needed`: without it the result misses what it is bought for, so that the run stops to ask for it. */
export type GapKind = (typeof gapKinds)[number]
/**
 * What could not be done, and why: a result never hides it. `pointer` is the RFC 6901 place in the input that `filled_by` would
 * fill; the place need not be there yet.
 */
export type Gap = Finding & { kind: GapKind; pointer: string; filled_by: string }
/** How a rail judges a gap of its code. Without a pointer, the first citation says where it is filled. */
type GapRule = { kind: GapKind; filled_by: string; pointer?: string }
export type GapRules = Readonly<Record<string, GapRule>>
export type Work<Result> = { result: Result; findings: Finding[]; gaps: Gap[] }

/** Takes the checked rows of an input's lists one by one, in any order of lists, and then returns their result. */
type Fold<Result> = {
  take(list: string, row: unknown, index: number): void
  close(): Work<Result>
}

/** For each list, the caller's column of each field that has another name there. */
type ListColumns = Readonly<Record<string, string | undefined>>
export type Columns = Readonly<Record<string, ListColumns | undefined>>

/** What a rail with row lists reads: the input without its lists, one schema for the rows of each list, and the fold of both. */
type Rows<Result> = {
  head: z.ZodType
  lists: Readonly<Record<string, z.ZodType>>
  /** The rows of lists that are uploaded, where they may hold less. */
  uploaded?: Readonly<Record<string, z.ZodType>>
  /** How the head names columns that differ from the fields. */
  columns: z.ZodType<Columns>
  /** The forms of files that are read for each list, next to tables with its fields. */
  forms?: Readonly<Record<string, readonly Form[]>>
  headings?: Readonly<Record<string, Headings>>
  open(head: unknown): Fold<Result>
}

/** Where a rail takes files instead of texts: members of a list, or the input itself. */
export type TakesDocuments = {
  within: string | null
  /** The member that holds the text. */
  text: string
  charsMax: number
  images: boolean
}

/**
 * One rail: its data and one pure function. The same input always gives the same work. A rail whose lists may be
 * larger than a request names them in `rows` (`by-rows.ts`), and its work is then the fold of those rows.
 */
export type Rail<Input = unknown, Result = unknown> = {
  key: RailKey
  /** What it does: in one sentence, in the words of its field, and as people ask for it in plain language. */
  about: { summary: string; capabilities: string[]; asks: string[] }
  takes: Takes
  /** Whole usd before the fee; 0: free, null: not sold. */
  prices: Record<Tier, number> | null
  input: z.ZodType<Input>
  result: z.ZodType<Result>
  /** A small realistic input with a fixed date, for samples, quickstarts and sandbox runs. */
  sandboxInput: Input
  /** What each tier gets. */
  tiers: Tiers
  /** The lists of its input whose items a tier limits; without it, those of `rows`. */
  counted?: readonly string[]
  /** Every gap that its work can report. */
  gapRules: GapRules
  /** How its finished work is checked by other ways. */
  audit: Audit<Result>
  /** A sample with a needed gap, where `sandboxInput` has none. */
  inputWithGaps?: Input
  /** Top-level members of the input that a reviewer may change in order to have the work done again. */
  parameters?: readonly string[]
  work(input: Input): Work<Result>
  /** What a model may draft of finished work; without it, or without a model, nothing is. */
  drafts?(input: Input, work: Pick<Work<Result>, 'result'>): PlannedDraft[]
  documents?: TakesDocuments
  rows?: Rows<Result>
}

/** Whether runs of the rail are done today. */
export const isCurrent = ({ takes }: Pick<Rail, 'takes'>): boolean =>
  takes.controlledLoop === 'current'

/** The runs that a rail takes: one that has no price yet is only tried out. */
export const usagesOf = ({
  prices,
  takes,
}: Pick<Rail, 'prices' | 'takes'>): ('operational' | 'synthetic')[] => {
  if (prices === null) return ['synthetic']
  return isCurrent({ takes }) ? ['operational', 'synthetic'] : []
}

export type InputOf<R> = R extends Rail<infer Input, infer _Result> ? Input : never
