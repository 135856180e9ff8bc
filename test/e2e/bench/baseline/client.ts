import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { serveParent } from '../child.ts'
import { type Events, openEvents } from '../events.ts'
import { type Clock, drive, type Run } from '../figures.ts'
import { openWire, type PreparedCall, prepared } from '../wire.ts'
import {
  type BaselineCall,
  type BaselineCalls,
  type MinimumBalanceSettings,
  openBaselineCalls,
} from './calls.ts'
import type { BaselineVariant } from './messages.ts'
import { proofOf } from './proof.ts'

/** The baseline's callers: each writes what the rail's API writes and sends the update, or asks the baseline's server over HTTP for it. */
export type RunBaseline = { callers: number; variant: BaselineVariant }

type Subject = { payoutId: string; calls: [BaselineCall, BaselineCall, BaselineCall] }

const state = {
  calls: undefined as BaselineCalls | undefined,
  events: undefined as Events | undefined,
  subjects: [] as Subject[],
  sent: [] as { payoutId: string; calls: PreparedCall[] }[],
}
const opened = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('open comes first')
  return value
}

serveParent(
  {
    open: async (settings: MinimumBalanceSettings) => {
      state.calls = openBaselineCalls(settings)
      state.events = await openEvents(settings.databaseUrl)
    },

    prepare: async (count: number) => {
      state.subjects = Array.from({ length: count }, newSubject)
      return state.subjects.map(({ payoutId }) => payoutId)
    },

    run: async ({ callers, variant }: RunBaseline): Promise<Run> => {
      const [calls, events] = [opened(state.calls), opened(state.events)]
      const run = await drive(callers, state.subjects, (subject, clock) =>
        payout(calls, events, { ...subject, variant }, clock),
      )
      return { ...run, repeats: 0 }
    },

    /** Signs the calls of what was prepared. */
    proveCalls: async (origin: string) => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
      state.sent = state.subjects.map(({ payoutId, calls }) => ({
        payoutId,
        calls: calls.map((call, index) => {
          const step = ['create', 'authorize', 'execute'][index] ?? ''
          return prepared(step, `${origin}/${step}`, call, proofOf(pair, call))
        }),
      }))
    },

    runOverHttp: async (callers: number): Promise<Run> => {
      const wire = openWire(callers)
      const events = opened(state.events)
      const run = await drive(callers, state.sent, async ({ payoutId, calls }, { lap }) => {
        for (const call of calls) {
          await wire.insist(call)
          lap(call.step)
        }
        await events.seen(`signed:${payoutId}`)
        lap('signed')
      })
      wire.close()
      return { ...run, repeats: wire.repeats }
    },
  },
  async () => {
    await state.calls?.close()
    await state.events?.close()
  },
)

async function payout(
  { create, authorize, execute }: BaselineCalls,
  events: Events,
  { payoutId, calls, variant }: Subject & { variant: BaselineVariant },
  { lap }: Clock,
): Promise<void> {
  await create(calls[0], variant, lap)
  await authorize(calls[1])
  lap('authorize')
  await execute(calls[2])
  lap('execute')
  if (variant === 'signing') await events.seen(`signed:${payoutId}`)
  lap('signed')
}

function newSubject(): Subject {
  const payoutId = `po_${hex(32)}`
  const creator = `0x${hex(20)}`
  // As long as the input of a create, an authorize and an execute.
  const call = (bytes: number): BaselineCall => ({
    step: { payoutId, creator, callId: `call_${hex(32)}`, digest: hex(32) },
    nonce: hex(16),
    input: JSON.stringify(hex(bytes / 2)),
  })
  return { payoutId, calls: [call(400), call(3600), call(100)] }
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
