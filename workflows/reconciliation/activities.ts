import type { Section } from '../domain/core/difference.ts'

/** `changed`: what was written since the last completed run, and everything that is not final; `all`: everything. */
export type Scope = 'changed' | 'all'
export type Opened = { scope: Scope; fromBlock: string; throughBlock: string; settleMs: number }
export type Page = { reconciliationId: string; section: Section; after: string | null }
/** `after` names where the next page begins, null when there is none. */
export type Compared = { after: string | null; compared: number; suspects: number }
export type Confirmed = { after: string | null; opened: string[] }
export type Summary = {
  reconciliationId: string
  scope: Scope
  compared: number
  differences: number
  opened: number
  statements: string[]
}

/** Steps of one reconciliation; each may run twice. */
export interface ReconciliationSteps {
  openReconciliation(input: { reconciliationId: string; scope: Scope }): Promise<Opened>
  /** Looks at one page of a section, and notes what differs. */
  comparePage(page: Page): Promise<Compared>
  /** Looks again at what was noted; what still differs opens an exception, or is seen again. */
  confirmPage(page: Page): Promise<Confirmed>
  /** Marks what is no longer seen and completes the run; answers how many differences stand. */
  closeReconciliation(input: {
    reconciliationId: string
    compared: number
  }): Promise<{ differences: number }>
  /** Signs the statement of the next day that is final on chain; null when none is due. */
  makeStatement(): Promise<string | null>
}
