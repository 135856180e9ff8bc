import { z } from 'zod'
import { candidateStates, inspectionDecisions, serviceKinds } from '#domain/resolver/candidate.ts'
import { risks } from '#domain/resolver/inspection.ts'
import { freeText, Time } from '../../fields.ts'

export const RESOLVER_PATH = '/api/service-resolver'

export const ServiceId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/)
  .meta({ description: 'As find_services answers it.' })
const SCHEMA_CHARS_MAX = 16_384

/** A service of someone else, as its sender describes it. */
const CandidateInput = z.strictObject({
  name: freeText(120, 1).meta({ description: 'What it is called.' }),
  url: z
    .string()
    .max(2048)
    .regex(/^https:\/\/[!-~]+$/)
    .meta({
      'x-free-text': true,
      description:
        'HTTPS on 443, where its manifest, OpenAPI document or MCP endpoint is; it is read once, without credentials.',
    }),
  description: freeText(1000).optional().meta({ description: 'What it does.' }),
  protocols: z
    .array(z.enum(['http', 'mcp', 'a2a', 'x402']))
    .max(4)
    .default(['http'])
    .meta({ description: 'With mcp, the list of its tools is read.' }),
  schema: z
    .record(z.string().max(128), z.unknown())
    .refine((schema) => JSON.stringify(schema).length <= SCHEMA_CHARS_MAX, {
      message: `has more than ${SCHEMA_CHARS_MAX} characters`,
    })
    .optional()
    .meta({ 'x-free-text': true, description: 'The schema of what it takes.' }),
})

/** Names one service, by id or by description. */
export const serviceReference = {
  service_id: ServiceId.optional(),
  candidate: CandidateInput.optional().meta({
    description: 'A service of someone else; it is stored and waits for an operator.',
  }),
}
/** What a call with a description uses of the daily quotas. */
export const candidatesIn = ({ candidate }: { candidate?: unknown }) => ({
  candidates: candidate === undefined ? 0 : 1,
})
export const namesExactlyOne = ({
  service_id,
  candidate,
}: {
  service_id?: unknown
  candidate?: unknown
}) => (service_id === undefined) !== (candidate === undefined)
export const exactlyOneMessage = { message: 'give exactly one of service_id and candidate' }
export const exactlyOneSchema = {
  oneOf: [{ required: ['service_id'] }, { required: ['candidate'] }],
}

export const Origin = z.enum(['first_party', 'registry'])
export const Kind = z.enum(serviceKinds)
export const Price = z.int().min(0).nullable().meta({
  description: 'Whole usd of its smallest run; 0 is free, null is quoted or has no price here.',
})
export const ServiceAccess = z
  .enum(['public', 'agent', 'outside'])
  .meta({ description: 'outside: at its own URL, never through this service.' })

/** A service of ours. */
export const OwnService = z
  .strictObject({
    service_id: ServiceId,
    origin: Origin,
    kind: Kind,
    name: z.string(),
    summary: z.string(),
    capabilities: z.array(z.string()),
    protocols: z.array(z.string()),
    price: Price,
    access: ServiceAccess,
    state: z.enum(['available', 'future', 'unapproved']),
  })
  .meta({ id: 'FirstPartyService' })
/** A service of someone else. */
const OutsideService = z
  .strictObject({
    service_id: ServiceId,
    origin: Origin.extract(['registry']),
    kind: Kind.extract(['candidate']),
    name: z.string().nullable().meta({ description: 'Its own words, once it is approved.' }),
    url: z.string().nullable(),
    summary: z.string().nullable(),
    protocols: z.array(z.string()),
    state: z.enum(candidateStates),
    document_sha256: z.string().nullable().meta({ description: 'Of the bytes that were read.' }),
    inspected_at: Time.nullable(),
  })
  .meta({ id: 'OutsideService' })

/** The outcome of an inspection. */
export const Inspected = z
  .strictObject({
    service: z.union([OwnService, OutsideService]),
    checks: z.array(z.strictObject({ check: z.string(), ok: z.boolean(), detail: z.string() })),
    risk: z.enum(risks),
    decision: z.enum(inspectionDecisions),
  })
  .meta({ id: 'ServiceInspection' })
