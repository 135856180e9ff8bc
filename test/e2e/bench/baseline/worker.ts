import { generateKeyPairSync, sign } from 'node:crypto'
import { NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type pg from 'pg'
import { serveParent } from '../child.ts'
import {
  type BaselineSigning,
  type BaselineSteps,
  FLOOR_QUEUE,
  FLOOR_SIGNING_QUEUE,
  type NoStep,
} from './messages.ts'
import { signReceipt } from './receipt.ts'
import { authorized, commit, created, openPool, reserved, signed } from './rows.ts'

/** The baseline's worker process; serves both queues until the parent lets go. */
export type BaselineWorkerSettings = {
  temporalAddress: string
  databaseUrl: string
  bundle: string
}

const { privateKey } = generateKeyPairSync('ed25519')
const silent = () => undefined
const logger = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: console.error,
}
const noStep: NoStep = { nothing: async () => undefined }
const running: Promise<void>[] = []
const workers: Worker[] = []

serveParent(
  {
    open: async ({ temporalAddress, databaseUrl, bundle }: BaselineWorkerSettings) => {
      Runtime.install({ shutdownSignals: [], logger })
      const pool = openPool(databaseUrl)
      const connect = () => NativeConnection.connect({ address: temporalAddress })
      workers.push(
        await Worker.create({
          connection: await connect(),
          taskQueue: FLOOR_QUEUE,
          workflowBundle: { codePath: bundle },
          activities: { ...baselineSteps(pool), ...noStep },
        }),
        await Worker.create({
          connection: await connect(),
          taskQueue: FLOOR_SIGNING_QUEUE,
          activities: { ...baselineSigning(pool), ...noStep },
        }),
      )
      running.push(...workers.map((worker) => worker.run()))
    },
  },
  async () => {
    for (const worker of workers) worker.shutdown()
    await Promise.all(running)
  },
)

function baselineSteps(pool: pg.Pool): BaselineSteps {
  const { sign: signTransfer } = baselineSigning(pool)
  const reserve: BaselineSteps['reserve'] = (step) => commit(pool, reserved(step))
  return {
    create: (step) => commit(pool, created(step, signReceipt(privateKey, step.payoutId))),
    authorize: (step) => commit(pool, authorized(step, signReceipt(privateKey, step.payoutId))),
    reserve,
    reserveAndSign: async (step) => {
      await reserve(step)
      await signTransfer(step.payoutId)
    },
  }
}

function baselineSigning(pool: pg.Pool): BaselineSigning {
  return {
    sign: (payoutId) =>
      commit(pool, signed(payoutId, sign(null, Buffer.from(payoutId), privateKey).toString('hex'))),
  }
}
