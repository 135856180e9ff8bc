import type { Form, Headings } from '../../form.ts'
import type { List } from '../intervals.ts'
import { espi } from './espi.ts'
import { intervalTable } from './interval-table.ts'
import { nem12 } from './nem12.ts'

export const formsOf = (list: List): Form[] => [espi(list), nem12(list), intervalTable(list)]

const at = [
  'interval start',
  'interval begin',
  'interval start time',
  'start date time',
  'start time',
  'start',
  'date time',
  'datetime',
  'timestamp',
]
const unit = ['units', 'uom', 'unit of measure']

const withUnit = (names: readonly string[]): string[] =>
  names.flatMap((name) => [name, `${name} kWh`, `${name} KWH`])

/** Headings of tables with one interval a row and its start in one cell. */
export const headings: Readonly<Record<List, Headings>> = {
  readings: {
    at,
    unit,
    value: [
      ...withUnit(['usage', 'consumption', 'energy', 'import', 'delivered', 'value']),
      'kWh',
      'KWH',
    ],
  },
  exports: {
    at,
    unit,
    value: withUnit(['export', 'generation', 'received', 'production', 'value']),
  },
}
