import { DomainError } from '#domain/core/errors.ts'

/** What became of one subject of a batch; `refused` says why nothing was done. */
export type Outcome = {
  id: string
  state: string | null
  receipt_id: string | null
  refused: { code: string; detail: string } | null
}

/** The outcome of an act on one subject; a refusal is an outcome, and the other subjects continue. */
export async function outcomeOf(
  id: string,
  act: () => Promise<Pick<Outcome, 'state' | 'receipt_id'>>,
): Promise<Outcome> {
  try {
    return { id, ...(await act()), refused: null }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const { code, detail } = error.refusal
    return { id, state: null, receipt_id: null, refused: { code, detail } }
  }
}
