import type { SearchAttributeUpdatePair } from '@temporalio/common'
import * as wf from '@temporalio/workflow'
import { payoutWait } from '#domain/payouts/wait.ts'
import { shortSteps } from '../shared/local-activities.ts'
import { createMutex } from '../shared/mutex.ts'
import { isLong } from '../shared/renewal.ts'
import { searchAttributes } from '../shared/search-attributes.ts'
import { timing } from '../shared/timing.ts'
import { newTraces } from '../shared/trace.ts'
import type {
  PayoutSnapshot,
  PayoutSteps,
  StepAnswer,
  StepInput,
  StepResult,
} from './activities.ts'
import { payoutAttributes, payoutDetails } from './details.ts'

/** The timer of a payout that waits for its callers. It is stopped for a transfer, because each ring costs as much as a call. */
class IdleTimer {
  /** How often it rang. */
  rings = 0
  readonly #onRing: () => void
  #running: wf.CancellationScope | undefined

  constructor(onRing: () => void) {
    this.#onRing = onRing
  }

  /** Sets the timer for this time (Unix milliseconds) or for an earlier check; keeps a timer that is already set. */
  set(atMs: number): void {
    if (this.#running !== undefined || atMs === Number.POSITIVE_INFINITY) return
    const { first, next } = timing.idleCheck
    const ms = Math.min(atMs - Date.now(), this.rings === 0 ? first : next)
    this.#running = new wf.CancellationScope()
    // A cancelled run ends by its condition.
    this.#running
      .run(() => wf.sleep(ms, { summary: 'checks whether the payout is idle' }))
      .then(
        () => this.#ring(),
        () => undefined,
      )
  }

  stop(): void {
    this.#running?.cancel()
    this.#running = undefined
  }

  #ring(): void {
    this.#running = undefined
    this.rings += 1
    this.#onRing()
  }
}

/**
 * Shows the payout in the UI. Attributes are written only if one has changed, because each write is a fifth of the server's work
 * for a payout. In a young run `authorized` alone is not written, because most payouts are executed immediately,
 * and neither are new traces alone.
 */
function publish(snapshot: PayoutSnapshot, isYoung: boolean): void {
  wf.setCurrentDetails(payoutDetails(snapshot, Date.now()))
  const current = wf.workflowInfo().typedSearchAttributes
  const changed: SearchAttributeUpdatePair[] = payoutAttributes(snapshot).filter(
    ({ key, value }) => current.get(key) !== value,
  )
  const { ExceptionCode } = searchAttributes
  const isOver =
    snapshot.exception === null &&
    snapshot.difference === null &&
    current.get(ExceptionCode) !== undefined
  if (isOver) changed.push({ key: ExceptionCode, value: null })
  const canWait = isYoung && changed.every(({ value }) => value === 'authorized')
  changed.push(...newTraces())
  if (changed.length > 0 && !canWait) wf.upsertSearchAttributes(changed)
}

const UNTIL_WOKEN_MS = 365 * 24 * 3600 * 1000
/** Temporal refuses a summary over 400 bytes, and with it the whole workflow task. */
const SUMMARY_MAX = 100

const steps = shortSteps<PayoutSteps>()

/** The state of one run of the payout workflow, and the short steps that change it. */
export class PayoutRun {
  readonly payoutId: string
  /** The payout as this run knows it; null until a step or a load returns it. */
  known: PayoutSnapshot | null = null
  /** A signal asked this run to read the stored payout again. */
  woken = false
  /** Consecutive times that the transfer could not be sent. */
  blocked = 0
  ending = false
  updates = 0
  /** When an unchanged payout is left to its row, in milliseconds. */
  #idleAt = Number.POSITIVE_INFINITY
  /** Changes with each snapshot, so that a wait can notice it. */
  #version = 0
  readonly #exclusively = createMutex()
  readonly #idleTimer = new IdleTimer(() => this.#publish())

  constructor(payoutId: string) {
    this.payoutId = payoutId
  }

  create(input: StepInput): Promise<StepAnswer> {
    return this.#update(() => steps('create the payout').createPayout(input))
  }

  authorize(input: StepInput): Promise<StepAnswer> {
    return this.#update(() => steps('verify the authority').authorizePayout(input))
  }

  execute(input: StepInput): Promise<StepAnswer> {
    return this.#update(() => steps('reserve the transfer').reserveTransfer(input))
  }

  async load(): Promise<void> {
    this.woken = false
    this.blocked = 0
    const loaded = await this.#exclusively(() =>
      steps('load the stored payout').loadPayout(this.payoutId),
    )
    if (loaded !== null) this.learn(loaded)
  }

  learn(snapshot: PayoutSnapshot): void {
    // Only a load reads differences; the last one stays until the next load.
    this.known = { difference: this.known?.difference ?? null, ...snapshot }
    this.#version += 1
    this.#idleAt = Date.now() + (snapshot.exception === null ? snapshot.idleMs : UNTIL_WOKEN_MS)
    this.#publish()
    if (isTransferring(snapshot) || isClosed(snapshot)) this.#idleTimer.stop()
    else if (this.#isYoung()) this.#idleTimer.set(this.#idleAt)
  }

  /** Waits until there is something to do; false when the payout was idle for too long. */
  async rest(): Promise<boolean> {
    while (!this.#hasWork()) {
      if (Date.now() < this.#idleAt) {
        this.#idleTimer.set(this.#idleAt)
        const { rings } = this.#idleTimer
        await wf.condition(() => this.#hasWork() || this.#idleTimer.rings !== rings)
      } else if (wf.allHandlersFinished()) return false
      // A handler that is still running may change the payout.
      else await wf.condition(wf.allHandlersFinished)
    }
    return true
  }

  /** Waits for an update, a signal, or until the time is over. */
  async waitForChange(ms: number): Promise<void> {
    const seen = this.#version
    const reason = this.known === null ? '' : payoutWait(this.known).what
    const summary = `waits for ${reason}`.slice(0, SUMMARY_MAX)
    // Refused updates change nothing, but they also make the run long.
    const changed = () => this.#version !== seen || this.woken || isLong(this)
    if (!(await wf.condition(changed, ms, { summary }))) await wf.condition(wf.allHandlersFinished)
    if (this.woken) await this.load()
  }

  async #update(step: () => Promise<StepResult>): Promise<StepAnswer> {
    this.updates += 1
    const result = await this.#exclusively(step)
    if (!result.ok) return result
    this.learn(result.snapshot)
    return { ok: true }
  }

  /** A run that knows no payout loads it once no update is running that would return it. */
  #hasWork(): boolean {
    if (this.known === null) return wf.allHandlersFinished()
    return this.woken || isLong(this) || isClosed(this.known) || isTransferring(this.known)
  }

  #isYoung(): boolean {
    return this.#idleTimer.rings === 0
  }

  #publish(): void {
    if (this.known !== null) publish(this.known, this.#isYoung())
  }
}

export const isClosed = ({ transfer }: PayoutSnapshot): boolean =>
  transfer === 'final' || transfer === 'dead'

/** Whether the run has to advance the transfer; an open exception stops it. */
export const isTransferring = ({ transfer, exception }: PayoutSnapshot): boolean =>
  transfer !== 'none' && exception === null
