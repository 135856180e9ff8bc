import { z } from 'zod'
import { loopSteps } from '#domain/runs/controlled-loop.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { runRead, runReader } from '../runs/run-read.ts'
import { Run, RunId } from '../runs/shapes.ts'

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
    return { body: { run: await context.runs.run(runReader(context), run_id) } }
  },
})
