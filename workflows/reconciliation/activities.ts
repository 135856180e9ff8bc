import type { Section } from '../domain/core/difference.ts'

/** `changed`: rows written since the last completed run, and everything that is not final. */
export type Scope = 'changed' | 'all'
export type Opened = { scope: Scope; fromBlock: string; throughBlock: string; settleMs: number }
/** A section of a run; its row says which page is next. */
export type Page = { reconciliationId: string; section: Section }
/** `more`: the section has another page. The counts are those of the whole run so far. */
export type Compared = { more: boolean; compared: number; suspects: number }
export type Confirmed = { more: boolean; opened: string[] }
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
  /** Compares the next page of a section and records the suspected differences. Does nothing once the section is done. */
  comparePage(page: Page): Promise<Compared>
  /** Compares the next suspects of a section a second time. A confirmed difference opens an exception or renews an open one. */
  confirmPage(page: Page): Promise<Confirmed>
  /** Marks differences that are gone and completes a run that has compared everything; returns how many remain. */
  closeReconciliation(input: {
    reconciliationId: string
  }): Promise<{ compared: number; differences: number }>
  /** Signs the statement of the next day that is final on chain; null if none is due. */
  makeStatement(): Promise<string | null>
}
