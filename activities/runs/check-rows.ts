import { DomainError } from '#domain/core/errors.ts'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { isObject } from '#domain/core/plain-object.ts'
import { columnReader } from '#domain/rails/input/columns.ts'
import {
  faultsOfIssue,
  fieldOf,
  groupFaults,
  type InputFault,
  type UploadOutcome,
} from '#domain/rails/input/input-faults.ts'
import { byColumn, columnFaults } from '#domain/rails/input/read-input.ts'
import type { Columns, Rail } from '#domain/rails/rail.ts'
import { eachRow, type ReadList, type RowSource, type WrongRecord } from './rows.ts'

/** Reading stops after so many faults of one list. */
const FAULTS_MAX = 10_000

type Checking = { list: string; columns: Columns; source: RowSource }

class TooManyFaults extends Error {}

/** Reads every row of an uploaded list as its rail would, and collects the faults, placed as if the list stood in the input. */
export async function checkRows(
  { rows: lists }: Pick<Rail, 'rows'>,
  { list, columns, source }: Checking,
): Promise<UploadOutcome> {
  const schema = lists?.uploaded?.[list] ?? lists?.lists[list]
  if (schema === undefined) throw new RangeError(`the rail has no list ${list}`)
  const reader = columnReader(list, schema, columns)
  const faults: InputFault[] = []
  let rows = 0
  const refuse = (wrong: WrongRecord) => {
    rows += 1
    faults.push(...faultsOfRecord({ list, reader }, wrong))
    if (faults.length >= FAULTS_MAX) throw new TooManyFaults()
  }
  const unread = await eachRow({ list, source, schema, reader }, () => (rows += 1), refuse).then(
    () => [],
    (error: unknown) => [unreadRest(list, rows, error)],
  )
  const ofColumns = columnFaults(list, reader)
  const missing = new Set(reader.missing().map((field) => fieldOf([list, 0, field])))
  const ofRows = faults.filter(({ kind, field }) => kind !== 'missing_field' || !missing.has(field))
  return { rows, faults: groupFaults([...ofColumns, ...unread, ...ofRows]) }
}

function faultsOfRecord(
  { list, reader }: Pick<ReadList, 'list' | 'reader'>,
  wrong: WrongRecord,
): InputFault[] {
  const { index } = wrong
  if ('malformed' in wrong) {
    const path = [list, index]
    const place = { field: fieldOf(path), pointer: pointerOf(path), row: index, value: null }
    return [{ kind: 'wrong_format', message: wrong.malformed, ...place }]
  }
  // A fault is placed by the caller's column, and the row is by field.
  const row = isObject(wrong.row)
    ? Object.fromEntries(
        Object.entries(wrong.row).map(([field, value]) => [reader.columnOf(field), value]),
      )
    : wrong.row
  const input = { [list]: { [index]: row } }
  return wrong.error.issues.flatMap((issue) =>
    faultsOfIssue({ ...issue, path: [list, index, ...issue.path] }, input, (path) =>
      byColumn(reader, path),
    ),
  )
}

/** Why the rest of a list could not be read. */
function unreadRest(list: string, rows: number, error: unknown): InputFault {
  const pointer = pointerOf([list])
  const at = { field: pointer, pointer, row: null, value: null }
  if (error instanceof TooManyFaults) {
    const message = `has ${FAULTS_MAX} faults or more in its first ${rows} rows; the rest was not read`
    return { kind: 'out_of_bounds', message, ...at }
  }
  if (error instanceof DomainError && error.refusal.code === 'input_rejected')
    return { kind: 'wrong_format', message: error.refusal.detail, ...at }
  throw error
}
