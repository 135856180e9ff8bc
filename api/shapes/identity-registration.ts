import { z } from 'zod'

const text = z.string().min(1)

/** The registration file of ERC-8004; `registrations` is empty where this service is in no identity registry. */
export const IdentityRegistration = z
  .strictObject({
    type: z.literal('https://eips.ethereum.org/EIPS/eip-8004#registration-v1'),
    name: text,
    description: text,
    image: z.url(),
    services: z.array(z.strictObject({ name: text, endpoint: z.url(), version: text })),
    x402Support: z.boolean(),
    active: z.boolean(),
    registrations: z.array(
      z.strictObject({
        agentId: z.int().min(0),
        agentRegistry: text,
      }),
    ),
    supportedTrust: z
      .array(text)
      .meta({ description: 'Empty: no trust model of that registry is taken part in.' }),
  })
  .meta({ id: 'IdentityRegistration' })
