import { type Problem, ProblemError } from '../../api/http/client.ts'

/** The problem that a call is refused with; throws when it is not refused. */
export async function problemOf(call: Promise<unknown>): Promise<Problem> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (outcome instanceof ProblemError) return outcome.problem
  throw outcome ?? new Error('it was expected to be refused')
}

export const codeOf = async (call: Promise<unknown>) => (await problemOf(call)).code

/** A hundred at once may find the database busy: a caller that gets this answer repeats as it says, and not all do so at the same time. */
export async function patiently<T>(ask: () => Promise<T>, tries = 20): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ProblemError) || !error.problem.retryable || tries === 0) throw error
    await new Promise((resolve) => setTimeout(resolve, 250 + Math.random() * 1_000))
    return patiently(ask, tries - 1)
  }
}
