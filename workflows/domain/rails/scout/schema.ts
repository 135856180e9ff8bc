import { z } from 'zod'
import { Span, text, together, tooLongTogether } from '../input/fields.ts'
import { railKeys } from '../rail.ts'

/** Something that can be asked for work: what it can do in words, what its smallest run costs, and how it is spoken to. */
export const Service = z.strictObject({
  service_id: z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/),
  name: text(1, 128),
  summary: text(1, 1000),
  capabilities: z.array(text(1, 256)).min(1).max(64),
  /** How people ask for it in plain words. */
  asks: z.array(text(1, 256)).max(64).optional(),
  rail: z.enum(railKeys).nullable(),
  protocols: z.array(z.string().regex(/^[a-z0-9-]{1,32}$/)).max(16),
  /** Whole usd; 0: free, null: it has no price. */
  price_usd: z.int().min(0).nullable(),
  origin: z.enum(['first_party', 'registry']),
  /** What is announced is ranked as not available; candidates of a registry are ranked only once they are approved. */
  state: z.enum(['available', 'future', 'unapproved']),
})
export type Service = z.output<typeof Service>

/** Each part of a task is held against each capability of each service. */
export const CAPABILITIES_MAX = 10_000

/** A task in words. `registry` are services to be considered in addition to the rails. */
export const ScoutInput = z.strictObject({
  task: text(1, 4000),
  constraints: z
    .strictObject({
      rails: z.array(z.enum(railKeys)).min(1).max(railKeys.length).optional(),
      price_max_usd: z.int().min(0).max(1_000_000).optional(),
      protocols: z.array(z.string().min(1).max(32)).min(1).max(16).optional(),
    })
    .optional(),
  limit: z.int().min(1).max(25).optional(),
  registry: z
    .array(Service.omit({ asks: true }).extend({ origin: z.literal('registry') }))
    .max(1000)
    .refine(
      (all) => new Set(all.map(({ service_id }) => service_id)).size === all.length,
      'ids are distinct',
    )
    .refine(
      (all) => together(all.flatMap(({ summary, capabilities }) => [summary, ...capabilities])),
      tooLongTogether,
    )
    .refine(
      (all) =>
        all.reduce((sum, { capabilities }) => sum + capabilities.length, 0) <= CAPABILITIES_MAX,
      `the services have more than ${CAPABILITIES_MAX} capabilities together`,
    )
    .optional(),
})
export type ScoutInput = z.output<typeof ScoutInput>

const matches = ['clear', 'weak'] as const
/** How well words meet a need: a weak match shares too little to be relied on. */
export type Match = (typeof matches)[number]

const Reason = z.strictObject({
  /** The part of the task, the service's own words that meet it, and the stems that both have. */
  need: Span,
  capability: z.string(),
  stems: z.array(z.string()),
  score: z.number().min(0).max(1),
  match: z.enum(matches),
})
export type Reason = z.output<typeof Reason>

export const isClear = ({ match }: Reason): boolean => match === 'clear'

const exclusions = [
  'not_approved',
  'id_taken',
  'rail_not_wanted',
  'price_too_high',
  'without_price',
  'protocol_missing',
  'no_match',
  'beyond_limit',
] as const
export type Exclusion = (typeof exclusions)[number]

export const ScoutResult = z.strictObject({
  needs: z.array(Span),
  ranked: z.array(
    z.strictObject({
      service_id: z.string(),
      name: z.string(),
      origin: z.enum(['first_party', 'registry']),
      price_usd: z.int().nullable(),
      /** False: announced, and not sold yet. */
      available: z.boolean(),
      /** Clear: it meets a need clearly. */
      match: z.enum(matches),
      /** The mean over the needs of how well its best capability meets each. */
      score: z.number().min(0).max(1),
      reasons: z.array(Reason),
      /** Needs that it does not meet clearly. */
      missing: z.array(Span),
    }),
  ),
  excluded: z.array(
    z.strictObject({ service_id: z.string(), code: z.enum(exclusions), reason: z.string() }),
  ),
  /** Needs that no ranked and available service meets clearly. */
  missing: z.array(Span),
  registry_size: z.int(),
  /** Digest of the services considered, which separates this ranking from one over other services. */
  registry_sha256: z.string(),
})
export type ScoutResult = z.output<typeof ScoutResult>
