import type { FeeSettings } from '#domain/credit/fees.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import type { DerivedTokens } from '../../../activities/keys/derived-tokens.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'

export type PaymentDeps = MoneyDeps & {
  /** Starts or joins the settlement of an x402 payment; if that fails, the workers' sweep does. */
  notifyPayment(paymentId: string): Promise<void>
  /** Advances a task after a change of its credit and waits for the result; 503 `unavailable`. */
  advanceTask(taskId: string): Promise<unknown>
  /** As `advanceTask`, but fails soon where no worker runs; the workers' sweep then advances the task. */
  notifyTask(taskId: string): Promise<unknown>
  /** How long the challenge of a mandate is valid. */
  mandateSeconds: number
  /** The payment providers whose events are accepted. */
  providers: readonly string[]
  fees: FeeSettings
  tokens: Pick<DerivedTokens, 'quoteToken'>
  uploadChecks: Pick<UploadChecks, 'assertInput'>
}
