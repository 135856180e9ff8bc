import type { Section } from '../domain/core/difference.ts'

/** `changed`: rows written since the last completed run, and everything that is not final. */
export type Scope = 'changed' | 'all'
export type Opened = { scope: Scope; fromBlock: string; throughBlock: string; settleMs: number }
export type Page = { reconciliationId: string; section: Section; after: string | null }
/** The next page begins at `after`; null on the last page. */
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
  /** Compares one page of a section and records the suspected differences. */
  comparePage(page: Page): Promise<Compared>
  /** Compares the suspects a second time. A confirmed difference opens an exception or renews an open one. */
  confirmPage(page: Page): Promise<Confirmed>
  /** Marks differences that are gone and completes the run; returns how many remain. */
  closeReconciliation(input: {
    reconciliationId: string
    compared: number
  }): Promise<{ differences: number }>
  /** Signs the statement of the next day that is final on chain; null if none is due. */
  makeStatement(): Promise<string | null>
}
