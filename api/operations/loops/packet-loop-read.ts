import { z } from 'zod'
import { profileKeys, profiles } from '#domain/rails/packetops/profiles.ts'
import { operation } from '../../operation.ts'
import { runRead, runReader } from '../runs/run-read.ts'
import { Run, RunId } from '../runs/shapes.ts'
import { PacketManifest } from './packet-shapes.ts'

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
    return { body: await context.manifests.read(runReader(context), run_id) }
  },
})

const describe = () => ({
  manifest_schema: z.toJSONSchema(PacketManifest),
  required_sections: Object.fromEntries(profileKeys.map((key) => [key, required(key)])) as Record<
    (typeof profileKeys)[number],
    ReturnType<typeof required>
  >,
})
