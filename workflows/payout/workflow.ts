import * as wf from '@temporalio/workflow'
import { withoutAttentionAfter } from '../attention.ts'
import { backoffMs } from '../domain/backoff.ts'
import { payoutWait } from '../domain/payout-wait.ts'
import { isLong, refuseIfEnding } from '../renewal.ts'
import { retryOf } from '../retry.ts'
import { shortSteps } from '../short-steps.ts'
import { timing } from '../timing.ts'
import { takeTurns } from '../turns.ts'
import { authorizeUpdate, createUpdate, executeUpdate, viewQuery, wakeSignal } from './messages.ts'
import type {
  PayoutSnapshot,
  PayoutSteps,
  SigningSteps,
  StepAnswer,
  StepInput,
  StepResult,
  TransferSteps,
} from './ports.ts'
import { publish } from './publish.ts'
import { oneTimer } from './waiting.ts'

const UNTIL_WOKEN_MS = 365 * 24 * 3600 * 1000

const steps = shortSteps<PayoutSteps>()
const chain = (summary: string) =>
  wf.proxyActivities<TransferSteps>({
    taskQueue: 'transfers',
    startToCloseTimeout: timing.chain.startToClose,
    heartbeatTimeout: timing.chain.heartbeat,
    retry: retryOf(timing.chain),
    summary,
  })
const signing = wf.proxyActivities<SigningSteps>({
  taskQueue: 'signing',
  startToCloseTimeout: timing.signing.startToClose,
  retry: retryOf(timing.chain),
  summary: 'sign the reserved transfer',
})

/** Temporal refuses a summary over 400 bytes, and with it the whole workflow task. */
const REASON_MAX = 100

/**
 * One payout from create to the final block. Postgres is the truth and this is the will: a run goes on from the stored
 * row, whatever its state, so any payout can be picked up by a new run of the same id.
 */
export function payout(payoutId: string): Promise<void> {
  return withoutAttentionAfter(() => drivePayout(payoutId))
}

async function drivePayout(payoutId: string): Promise<void> {
  const run: Run = { ...begun }
  const alone = takeTurns()
  const looks = oneTimer(() => {
    run.isYoung = false
    if (run.known !== null) publish(run.known, run.isYoung)
  })

  const learn = (snapshot: PayoutSnapshot): void => {
    // Steps do not tell of differences; what the last load told stands until the next.
    run.known = { difference: run.known?.difference ?? null, ...snapshot }
    run.version += 1
    run.idleAt = Date.now() + idleMs(run.known)
    publish(run.known, run.isYoung)
    if (run.isYoung && !isClosed(run.known)) looks.set(run.idleAt)
  }
  const answer = async (step: () => Promise<StepResult>): Promise<StepAnswer> => {
    run.updates += 1
    const result = await alone(step)
    if (!result.ok) return result
    learn(result.snapshot)
    return { ok: true }
  }
  const load = async (): Promise<void> => {
    const loaded = await alone(() => steps('load the stored payout').loadPayout(payoutId))
    if (loaded !== null) learn(loaded)
  }

  setHandlers(run, answer)

  // The first update usually brings the row with it; loading is for runs that pick a payout up.
  await rest()
  if (run.known === null) await load()
  if (run.known === null)
    await wf.condition(() => run.known !== null, timing.waitForCreate, { summary: 'waits for its create' })

  while (run.known !== null && !isClosed(run.known)) {
    // A wake may come to show an exception of a transfer that is being driven.
    if (run.woken) await reload()
    if (isDriven(run.known)) await drive({ payoutId, run, learn, pause }, run.known)
    else if (!(await rest())) break
    if (isLong(run)) {
      run.ending = true
      await wf.condition(wf.allHandlersFinished)
      await wf.continueAsNew<typeof payout>(payoutId)
    }
  }
  await wf.condition(wf.allHandlersFinished)

  async function reload(): Promise<void> {
    run.woken = false
    run.blocked = 0
    await load()
  }

  /** Rests until there is something to do; false when it was idle for too long. */
  async function rest(): Promise<boolean> {
    const came = await looks.rest({ came: () => hasSomethingToDo(run), until: () => run.idleAt })
    if (run.woken) await reload()
    return came
  }

  /** Until a transfer that cannot be sent is tried again. */
  function pause(): Promise<void> {
    run.blocked += 1
    return news(backoffMs(timing.parkedRetry, run.blocked))
  }

  /** Waits for an update, a wake, or the time to be up. */
  async function news(ms: number): Promise<void> {
    const seen = run.version
    const reason = run.known === null ? '' : payoutWait(run.known).what
    const summary = `waits for ${reason}`.slice(0, REASON_MAX)
    // Refused updates change nothing, and make the run long all the same.
    const came = await wf.condition(() => run.version !== seen || run.woken || isLong(run), ms, { summary })
    // What is under way when the time is up may still bring something.
    if (!came) await wf.condition(wf.allHandlersFinished)
    if (run.woken) await reload()
  }
}

type Run = {
  known: PayoutSnapshot | null
  version: number
  /** When a payout that nothing happens to is left to its row, in milliseconds. */
  idleAt: number
  /** Its timer never rang. */
  isYoung: boolean
  woken: boolean
  /** How often in a row the transfer could not be sent. */
  blocked: number
  ending: boolean
  updates: number
}
const begun: Run = {
  known: null,
  version: 0,
  idleAt: Number.POSITIVE_INFINITY,
  isYoung: true,
  woken: false,
  blocked: 0,
  ending: false,
  updates: 0,
}

const isDriven = ({ transfer, exception }: PayoutSnapshot): boolean => transfer !== 'none' && exception === null
const idleMs = (known: PayoutSnapshot): number => (known.exception === null ? known.idleMs : UNTIL_WOKEN_MS)

/** A run that knows no row loads it, once no update brings it. */
function hasSomethingToDo(run: Run): boolean {
  if (run.known === null) return wf.allHandlersFinished()
  return run.woken || isLong(run) || isClosed(run.known) || isDriven(run.known)
}

type Driven = { payoutId: string; run: Run; learn: (snapshot: PayoutSnapshot) => void; pause: () => Promise<unknown> }

/** One round over a reserved transfer: sign, send or send again, look for it on chain. */
async function drive({ payoutId, run, learn, pause }: Driven, { transfer }: PayoutSnapshot): Promise<void> {
  if (transfer === 'reserved') await signing.signTransfer(payoutId)
  if (transfer !== 'included') learn(await chain('store, then broadcast').submitTransfer(payoutId))
  if (run.known?.parked == null) run.blocked = 0
  else await pause()
  const looks = transfer === 'included' ? 'watch until final' : 'confirm by the logs'
  learn(await chain(looks).confirmTransfer(payoutId))
}

function setHandlers(run: Run, answer: (step: () => Promise<StepResult>) => Promise<StepAnswer>): void {
  const validator = (_input: StepInput): void => refuseIfEnding(run)
  wf.setHandler(createUpdate, (input) => answer(() => steps('create the payout').createPayout(input)), {
    validator,
    description: 'Fix the terms and write the created receipt.',
  })
  wf.setHandler(authorizeUpdate, (input) => answer(() => steps('verify the authority').authorizePayout(input)), {
    validator,
    description: 'Verify presentation and principal signature and write the authorized receipt.',
  })
  wf.setHandler(executeUpdate, (input) => answer(() => steps('reserve the transfer').reserveTransfer(input)), {
    validator,
    description: 'Reserve the transfer under the daily cap; the run then signs, submits and confirms it.',
  })
  const wake = (): void => {
    run.woken = true
  }
  wf.setHandler(wakeSignal, wake, { description: 'Read the stored payout again and go on.' })
  wf.setHandler(viewQuery, () => run.known, { description: 'The payout as this run knows it.' })
}

const isClosed = (payout: PayoutSnapshot): boolean => payout.transfer === 'final' || payout.transfer === 'dead'
