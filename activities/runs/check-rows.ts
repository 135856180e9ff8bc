import { DomainError } from '#domain/core/errors.ts'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { isObject } from '#domain/core/plain-object.ts'
import { columnReader } from '#domain/rails/input/columns.ts'
import type { ListCorrections } from '#domain/rails/input/corrections.ts'
import {
  faultsOfIssue,
  fieldOf,
  groupFaults,
  type InputFault,
  type UploadOutcome,
} from '#domain/rails/input/input-faults.ts'
import { byColumn, columnFaults } from '#domain/rails/input/read-input.ts'
import type { Rail } from '#domain/rails/rail.ts'
import type { Question } from '#domain/rails/tables/table-reader.ts'
import { eachRow, type ReadList, type Refusing, type RowSource, type WrongRecord } from './rows.ts'
import { readListOf } from './work-on-rows.ts'

/** Reading stops after so many faults of one list. */
const FAULTS_MAX = 10_000

type Checking = { list: string; corrections: ListCorrections; source: RowSource }

class TooManyFaults extends Error {}

/** Reads every row of an uploaded list as its rail would, and collects the faults, placed as if the list stood in the input. */
export async function checkRows(
  { rows: lists }: Pick<Rail, 'rows'>,
  { list, corrections, source }: Checking,
): Promise<UploadOutcome> {
  if (lists === undefined) throw new RangeError(`the rail has no list ${list}`)
  const asked = readListOf(lists, list)
  const reader = columnReader(list, asked.schema, corrections)
  const faults: InputFault[] = []
  let rows = 0
  const add = (...more: InputFault[]) => {
    faults.push(...more)
    if (faults.length >= FAULTS_MAX) throw new TooManyFaults()
  }
  const refusing: Refusing = {
    record: (wrong) => {
      rows += 1
      add(...faultsOfRecord({ list, reader }, wrong))
    },
    question: (question) => add(faultOfQuestion({ list, reader }, question)),
  }
  const read = await eachRow(
    { ...asked, list, source, reader, corrections },
    () => (rows += 1),
    refusing,
  ).catch((error: unknown) => ({ unread: unreadRest(list, rows, error) }))
  const unread = 'unread' in read ? [read.unread] : []
  const ofColumns = columnFaults(list, reader)
  const missing = new Set(reader.missing().map((field) => fieldOf([list, 0, field])))
  const ofRows = faults.filter(({ kind, field }) => kind !== 'missing_field' || !missing.has(field))
  const outcome = { rows, faults: groupFaults([...ofColumns, ...unread, ...ofRows]) }
  return 'reading' in read ? { ...outcome, reading: read.reading } : outcome
}

type Placed = Pick<ReadList, 'list' | 'reader'>

function faultOfQuestion(
  { list, reader }: Placed,
  { field, line, cell, message }: Question,
): InputFault {
  const pointer = pointerOf([list])
  const value = JSON.stringify(cell)
  const column = JSON.stringify(reader.columnOf(field))
  const text = `the column ${column} can be read in more than one way, first in line ${line}: ${message}`
  return {
    kind: 'ambiguous',
    field: fieldOf([list, 0, field]),
    message: text,
    pointer,
    row: null,
    value,
  }
}

function faultsOfRecord({ list, reader }: Placed, wrong: WrongRecord): InputFault[] {
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
