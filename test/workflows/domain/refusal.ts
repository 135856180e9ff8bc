import { expect } from 'vitest'
import { DomainError, type Refusal } from '#domain/core/errors.ts'

/** The refusal that a call throws. Every refusal says what is wrong and what to do next. */
export function refusalOf(call: () => unknown): Refusal {
  try {
    call()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    expect(error.refusal.detail).toMatch(/\S/)
    expect(error.refusal.next_action).toMatch(/\S/)
    return error.refusal
  }
  throw new Error('the call was not refused')
}
