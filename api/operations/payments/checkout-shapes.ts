import { z } from 'zod'
import { linkStates } from '#domain/payments/product-link.ts'
import { Time } from '../../fields.ts'
import { Rail } from '../agents/shapes.ts'
import { Tier } from './shapes.ts'

/** What can be bought, and where: on the provider's page where a live one is set, else by the checkout of this service. */
export const ProductCard = z
  .strictObject({
    rail: Rail,
    tier: Tier,
    total_usd: z.int().min(1),
    link_state: z.enum(['hosted', 'rail_checkout']),
    url: z.string(),
  })
  .meta({ id: 'ProductCard' })

/** The provider's page of one rail and tier, as operators see it. */
export const LinkCell = z
  .strictObject({
    rail: Rail,
    tier: Tier,
    link: z.string().nullable(),
    checked_at: Time.nullable(),
    state: z.enum(linkStates),
  })
  .meta({ id: 'ProductLinkCell' })
