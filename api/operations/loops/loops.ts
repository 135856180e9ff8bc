import { z } from 'zod'
import { profileKeys, profiles } from '#domain/rails/packetops/profiles.ts'
import { PacketResult } from '#domain/rails/packetops/schema.ts'
import { productStages, stageStates } from '#domain/runs/product-loop.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { callerIn } from '../../caller.ts'
import type { Context } from '../../context.ts'
import { operation } from '../../operation.ts'
import { paidStart } from '../../paid-start.ts'
import type { LoopAsked } from '../../services/runs/loops.ts'
import { Rail } from '../../shapes/agents.ts'
import { ProductCard, QuoteId } from '../../shapes/payments.ts'
import {
  FUNDED_TWICE,
  fundedOnce,
  fundingFields,
  operationalUsage,
  Run,
  RunId,
  runRead,
  startErrors,
  startFields,
} from '../../shapes/runs.ts'
import { StartedRun, startedRun } from '../runs/start.ts'

/** What starts a run of the rail of the path. */
const { rail: _named, ...fixedRailStart } = { ...startFields, ...fundingFields }

type Given = Omit<LoopAsked, 'callback_url' | 'customer_account'> & {
  callback_url?: string | undefined
  customer_account?: string | undefined
}

/** What a start asks of its run, with the payment that the call carries. */
const loopAsked = (
  { callback_url, customer_account, ...asked }: Given,
  context: Context,
): LoopAsked => ({
  ...asked,
  callback_url: callback_url ?? null,
  customer_account: customer_account ?? null,
  carried_payment: context.carriedPayment(),
})

/** POST /api/controlled-operating-loops: any rail that the loop has today. */
export const loopStart = operation({
  id: 'loop-start',
  summary:
    'Start a run of any current rail of the controlled loop; a free one needs neither a quote nor funding.',
  http: { method: 'POST', path: '/api/controlled-operating-loops', host: 'base' },
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  gate: { rails: 'controlled_loop', callback: 'if_given' },
  carriesPayment: true,
  ...paidStart,
  spendsUsd: async ({ quote_id }, { quotes }) =>
    quote_id === undefined ? 0 : quotes.totalUsd(quote_id),
  authorizeDelegated: async ({ quote_id, ...asked }, { runStarts }) => {
    if (quote_id !== undefined) await runStarts.assertFunded({ quote_id, ...asked })
  },
  errors: startErrors,
  input: z
    .strictObject({
      ...startFields,
      quote_id: QuoteId.optional().meta({
        description: 'Of a rail with a price; scout takes no quote and no funding.',
      }),
      ...fundingFields,
    })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: StartedRun,
  handle: async ({ accept_terms: _terms, idempotency_key: _key, ...given }, context) => {
    const asked = loopAsked(given, context)
    const { headers, started } = await context.loops.start(
      callerIn(context).writer,
      asked,
      context.callId,
    )
    return { body: started, headers }
  },
})

const LoopRun = z.strictObject({ run: Run }).meta({ id: 'LoopRun' })
const LoopPattern = z
  .strictObject({
    pattern: z.array(z.enum(loopSteps)),
    current_rails: z.array(Rail),
    future_rail: z.string().optional(),
    live: z.record(z.enum(loopSteps), z.int().min(0)).meta({
      description: 'The runs that are at each step now, without those that are attested.',
    }),
    counted_max: z.int().meta({
      description: 'At most so many runs of a step are counted; `rail` takes those among them.',
    }),
  })
  .meta({ id: 'LoopPattern' })

/** GET /api/controlled-operating-loops: the pattern and what is at each step now; with a run id the caller's own loop. */
export const loopsRead = operation({
  id: 'loops-read',
  summary:
    'Read the nine steps of the controlled loop with the runs at each of them now, or a run of your own with the digest that each step put out.',
  http: { method: 'GET', path: '/api/controlled-operating-loops', host: 'base' },
  ...runRead,
  input: z.strictObject({ run_id: RunId.optional(), rail: Rail.optional() }),
  output: z.union([LoopRun, LoopPattern]),
  handle: async ({ run_id, rail }, context) => {
    if (run_id === undefined) return { body: await context.loops.describe(rail) }
    return { body: { run: await context.runs.run(callerIn(context).runReader, run_id) } }
  },
})

/** What is sold, bought, worked and proven, each with the id of its record; of the card it is the address. */
const stages = z
  .array(
    z.strictObject({
      stage: z.enum(productStages),
      state: z.enum(stageStates).meta({
        description:
          'held: the card cannot be bought now, or the proof waits for a payment or for a person.',
      }),
      evidence_id: z.string().nullable(),
    }),
  )
  .length(productStages.length)

const ProductLoop = z
  .strictObject({
    stages: z.array(z.enum(productStages)),
    product_cards: z.array(ProductCard),
    sample_path: z.string().meta({ description: 'Where a package is shown before one is bought.' }),
  })
  .meta({ id: 'ProductLoop' })
const ProductRun = z.strictObject({ run: Run, stages }).meta({ id: 'ProductRun' })

/** GET /api/diligenceops-product-to-proof-loop: the stages and what is sold; with a run id how far the caller's own run is. */
export const diligenceLoopRead = operation({
  id: 'diligence-loop-read',
  summary:
    'Read the stages from product to proof with what is sold, or how far a diligenceops run of your own is, each stage with its record.',
  http: { method: 'GET', path: '/api/diligenceops-product-to-proof-loop', host: 'base' },
  ...runRead,
  input: z.strictObject({ run_id: RunId.optional() }),
  output: z.union([ProductRun, ProductLoop]),
  handle: async ({ run_id }, context) => {
    if (run_id === undefined) {
      const product_cards = await context.productLinks.cards({ rail: 'diligenceops' })
      const sample_path = '/api/sample-return-packages?rail=diligenceops'
      return { body: { stages: [...productStages], product_cards, sample_path } }
    }
    return { body: await context.productLoops.read(callerIn(context).runReader, run_id) }
  },
})

const diligenceRail = 'diligenceops'

/** POST /api/diligenceops-product-to-proof-loop: when the run closes with its package, a commerce proof is evaluated without a call. */
export const diligenceLoopStart = operation({
  id: 'diligence-loop-start',
  summary:
    'Start a diligenceops run whose package is judged by a commerce proof as soon as it closes.',
  http: { method: 'POST', path: '/api/diligenceops-product-to-proof-loop', host: 'base' },
  needs: { scopes: ['runs:write'], rail: () => diligenceRail },
  gate: { rails: [diligenceRail], callback: 'if_given' },
  carriesPayment: true,
  ...paidStart,
  errors: startErrors,
  input: z
    .strictObject({ ...fixedRailStart, usage: operationalUsage })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: z.strictObject({ ...startedRun, stages }).meta({ id: 'StartedProductRun' }),
  handle: async ({ accept_terms: _terms, idempotency_key: _key, ...given }, context) => {
    const { headers, started } = await context.productLoops.start(
      callerIn(context).writer,
      loopAsked({ ...given, rail: diligenceRail }, context),
      context.callId,
    )
    return { body: started, headers }
  },
})

const { manifest, merkle_root, section_coverage, readiness, complete } = PacketResult.shape

/** The sealed list of a packet, of what was sent or of what the attested run made of it. */
const PacketManifest = z
  .strictObject({
    state: z.enum(['provisional', 'final']),
    items: manifest,
    merkle_root,
    section_coverage,
    readiness,
    complete,
  })
  .meta({ id: 'PacketManifest' })

const sections = z.array(z.strictObject({ section: z.string(), title: z.string() }))
const PacketLoop = z
  .strictObject({
    manifest_schema: z.looseObject({}).meta({ description: 'JSON Schema of a manifest.' }),
    required_sections: z.record(z.enum(profileKeys), sections).meta({
      description: 'By the kind of packet, which an input names as its profile.',
    }),
  })
  .meta({ id: 'PacketLoop' })
const PacketRun = z
  .strictObject({
    run: Run,
    manifest: PacketManifest.nullable().meta({ description: 'Null before the attestation.' }),
  })
  .meta({ id: 'PacketRun' })

const required = (key: (typeof profileKeys)[number]) =>
  profiles[key].filter((one) => one.required).map(({ key: section, title }) => ({ section, title }))

/** GET /api/packetops-manifest-loop: what a manifest is and which sections a packet needs; with a run id the caller's own. */
export const packetLoopRead = operation({
  id: 'packet-loop-read',
  summary:
    'Read what the manifest of a packet says and which sections each kind of packet needs, or a packet run of your own with its manifest.',
  http: { method: 'GET', path: '/api/packetops-manifest-loop', host: 'base' },
  ...runRead,
  input: z.strictObject({ run_id: RunId.optional() }),
  output: z.union([PacketRun, PacketLoop]),
  handle: async ({ run_id }, context) => {
    if (run_id === undefined) return { body: describe() }
    return { body: await context.manifests.read(callerIn(context).runReader, run_id) }
  },
})

const describe = () => ({
  manifest_schema: z.toJSONSchema(PacketManifest),
  required_sections: Object.fromEntries(profileKeys.map((key) => [key, required(key)])) as Record<
    (typeof profileKeys)[number],
    ReturnType<typeof required>
  >,
})

const packetRail = 'packetops'
const packetPath = '/api/packetops-manifest-loop'
const packetId = 'packet-loop-start'

/** POST /api/packetops-manifest-loop: the manifest of what was sent comes at once, that of the reviewed run with its package. */
export const packetLoopStart = operation({
  id: packetId,
  summary:
    'Start a packetops run, and get the manifest of what you sent at once; with manifest_only no content leaves you.',
  http: { method: 'POST', path: packetPath, host: 'base' },
  needs: { scopes: ['runs:write'], rail: () => packetRail },
  gate: { rails: [packetRail], callback: 'if_given' },
  carriesPayment: true,
  ...paidStart,
  errors: startErrors,
  input: z
    .strictObject({
      ...fixedRailStart,
      manifest_only: z.boolean().default(false).meta({
        description: 'Refuses items with content: each is sent by its sha256.',
      }),
    })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: z
    .strictObject({
      ...startedRun,
      manifest: PacketManifest.nullable().meta({
        description:
          'Provisional, of what was sent; null where it names uploads or takes more than the limits of public work.',
      }),
    })
    .meta({ id: 'StartedPacketRun' }),
  handle: async (
    { accept_terms: _terms, idempotency_key: _key, manifest_only, ...given },
    context,
  ) => {
    if (manifest_only) context.manifests.assertDigestsOnly(given.input)
    const asked = loopAsked({ ...given, rail: packetRail }, context)
    const { headers, started } = await context.loops.start(
      callerIn(context).writer,
      asked,
      context.callId,
      { id: packetId, path: packetPath },
    )
    const manifest = await context.manifests.provisional(
      started.run.run_id,
      asked,
      callerIn(context).computeNetwork,
    )
    return { body: { ...started, manifest }, headers }
  },
})
