import { z } from 'zod'
import type { COUNTERPART_STEP, suites } from '#domain/harness/suites.ts'
import { fetchPackage, playRun, USE_PATH, verifyReceiptsOf } from '../play-run.ts'
import { expectThat, openPlayer, read, type Session } from '../session.ts'
import type { Script } from './scripts.ts'

const Pack = z.looseObject({
  rails: z.array(z.string()),
  example_bodies: z.looseObject({
    start_agent_run: z.looseObject({ rail: z.string(), input: z.looseObject({}) }),
  }),
})

/** The pack that the first agent reads and hands to the second. */
async function readPack(session: Session) {
  const { headers } = await openPlayer(session, 'first')
  const body = { mode: 'read_agent_use_pack' }
  const pack = read(
    await session.surface.send({ method: 'POST', path: USE_PATH, headers, body }),
    200,
    Pack,
  )
  expectThat(pack.rails.includes(session.run.rail), 'the pack does not offer the rail')
  return pack
}

/** The input of the pack where that is of the rail; otherwise the sample of the rail. */
async function inputOf(session: Session) {
  const { rail, input } = (await readPack(session)).example_bodies.start_agent_run
  return rail === session.run.rail ? input : undefined
}

async function runOfSecond(session: Session) {
  const second = await openPlayer(session, 'second')
  return { second, run_id: await playRun(session, 'second', second, await inputOf(session)) }
}

type Step = Exclude<
  (typeof suites)['external-agent-agent-test'][number]['step'],
  typeof COUNTERPART_STEP
>

/** One agent hands a pack to another, which runs it; the first verifies what comes back. */
export const externalAgent: Readonly<Record<Step, Script>> = {
  'hand over': async (session) => {
    await readPack(session)
  },
  run: async (session) => {
    await runOfSecond(session)
  },
  verify: async (session) => {
    const { second, run_id } = await runOfSecond(session)
    const { completion, return_package } = await fetchPackage(session, run_id, second)
    expectThat(completion.verdict === 'proven', 'the package is not proven')
    await verifyReceiptsOf(session, return_package)
  },
}
