/** An element of an XML file; its name and those of its attributes are without their prefixes. */
export type XmlElement = {
  name: string
  attributes: Readonly<Record<string, string>>
  children: readonly XmlElement[]
  /** The text directly in it, trimmed. */
  text: string
  /** The line on which it begins, from 1. */
  line: number
}

/** A table of text cells: the lines above its header, the header, and each record below with its line, from 1. */
export type CellTable = {
  above: readonly string[]
  header: readonly string[]
  records: readonly { line: number; cells: readonly string[] }[]
}

/** A row by the fields of its list, or why a record of the file is no row. */
type FormRow = { line: number } & ({ value: Record<string, unknown> } | { malformed: string })

/** What a form reads from a file for one list. */
export type FormRows = {
  rows: readonly FormRow[]
  /** What the file says of the whole, for the reader of the report: its unit, account, time zone, balances. */
  says: Readonly<Record<string, string>>
  /** Records that are no rows by their nature, such as totals. */
  leftOut: readonly { line: number; reason: string }[]
  /** What is wrong with the whole, such as a balance that its rows do not come to. */
  findings: readonly { code: string; detail: string }[]
}

type Reads<Whole> = (whole: Whole) => FormRows | undefined
/** Reads a whole file of its form; undefined where the file is of another. The kind says what it is given. */
export type Form = {
  /** As its trade calls it, such as `CAMT.053`. */
  name: string
  /** Who defines it, and the real file or published example that a test reads; null where it is read by its description only. */
  source: string
  example: string | null
} & (
  | { kind: 'xml'; read: Reads<XmlElement> }
  | { kind: 'json'; read: Reads<unknown> }
  | { kind: 'text'; read: Reads<string> }
  | { kind: 'table'; read: Reads<CellTable> }
)

/** For each field of a list, headings that exports give its column, in any case and spelling. */
export type Headings = Readonly<Record<string, readonly string[]>>
