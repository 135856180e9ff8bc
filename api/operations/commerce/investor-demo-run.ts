import { z } from 'zod'
import { operation } from '../../operation.ts'
import { askedOf, DemoInput, packet, ran, timings } from './investor-demo-shapes.ts'
import { askingOf } from './proven-agent.ts'

const run = {
  access: 'public',
  errors: ['rate_guardrail_reached', 'input_rejected', 'input_too_complex', 'forbidden_material'],
  uses: () => ({ analyses: 1 }),
  input: DemoInput,
} as const

/** POST /api/investor-demo: the tour over what the caller gives, as a trial, without a model. */
export const investorDemoRun = operation({
  id: 'investor-demo-run',
  summary:
    'Have a packet of yours, or else evidence, proven and relayed as a trial without a model; with neither, the published packet.',
  http: { method: 'POST', path: '/api/investor-demo', host: 'base' },
  ...run,
  output: z.strictObject(ran).meta({ id: 'InvestorDemoRun' }),
  handle: async (given, context) => ({
    body: await context.investorDemo.run(askingOf(context), {
      ...askedOf(given),
      more: () => ({}),
    }),
  }),
})

/** POST /api/investor-demo-v2: also the verification packet, and how long the steps took. */
export const investorDemoV2Run = operation({
  id: 'investor-demo-detail-run',
  summary: 'The same trial with its verification packet and the time of its steps.',
  http: { method: 'POST', path: '/api/investor-demo-v2', host: 'base' },
  ...run,
  output: z.strictObject({ ...ran, ...packet, ...timings }).meta({ id: 'InvestorDemoV2Run' }),
  handle: async (given, context) => ({
    body: await context.investorDemo.run(askingOf(context), {
      ...askedOf(given),
      more: (added) => added,
    }),
  }),
})
