import { pilotRunConditions } from '#domain/pilots/pilot.ts'
import { ids } from './ids.ts'
import { activatedPilot } from './pilots.ts'
import { productionExamples } from './production.ts'

const { 'production-run-start': started } = productionExamples
const { customer_account: _account, ...input } = started.input
const { task_token: _token, links: _links, ...run } = started.output.run
const running = {
  ...activatedPilot,
  state: 'running',
  runs: [ids.run],
  next_step: 'The run waits for its payment, its review or its result.',
} as const

/** The run of a pilot, started and read. */
export const pilotRunExamples = {
  'first-pilot-run': {
    input: { pilot_id: ids.pilot, ...input },
    output: { ...started.output, pilot: running },
  },
  'first-pilot-read': {
    input: { pilot_id: ids.pilot },
    output: {
      pilot: running,
      run,
      conditions: pilotRunConditions.map((condition) => ({
        condition,
        met: condition === 'activated' || condition === 'paid',
      })),
    },
  },
} as const
