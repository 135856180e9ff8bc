import { z } from 'zod'
import { PacketResult } from '#domain/rails/packetops/schema.ts'

const { manifest, merkle_root, section_coverage, readiness, complete } = PacketResult.shape

/** The sealed list of a packet, of what was sent or of what the attested run made of it. */
export const PacketManifest = z
  .strictObject({
    state: z.enum(['provisional', 'final']),
    items: manifest,
    merkle_root,
    section_coverage,
    readiness,
    complete,
  })
  .meta({ id: 'PacketManifest' })
