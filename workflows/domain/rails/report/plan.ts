/** What the report of a rail shows first. Pointers are RFC 6901 pointers into the result. */
export type ReportPlan = {
  title: string
  /** The day, or the object with `from` and `to`, that the result is of. */
  period?: string
  /** A list counts its rows; `*` in a pointer stands for each row of a list. */
  figures: readonly FigurePlan[]
  charts: readonly ChartPlan[]
  /** Tables that come first, in this order. */
  tables: readonly string[]
  /** Columns that come first, in this order, in every table that has them. */
  columns: readonly string[]
  /** Files of the package for other programs, made from the delivered result. */
  files?: (run: PlannedRun, result: unknown) => PlannedFile[]
}

/** What a file may say of its run. */
export type PlannedRun = { run_id: string; usage: string }
/** `name` begins with `payouts/`; `about` says in the README what the file holds. */
export type PlannedFile = { name: string; about: string; text: string }

/** `words`: the value is a code, whose underscores are shown as blanks. */
type FigurePlan = { label: string; at: string; unit?: string; words?: true }

/**
 * A chart of one table: the sums of a numeric column by label, or the number of rows by label without `value`. `bars` are
 * sorted by size, `series` keeps the order of the rows.
 */
export type ChartPlan = {
  title: string
  table: string
  label: string
  value?: string
  form: 'bars' | 'series'
}
