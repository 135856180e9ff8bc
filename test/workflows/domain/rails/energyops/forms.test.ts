import { expect } from 'vitest'
import { formsOf } from '#domain/rails/energyops/forms/index.ts'
import type { List } from '#domain/rails/energyops/intervals.ts'
import { Reading } from '#domain/rails/energyops/schema.ts'
import type { FormRows } from '#domain/rails/form.ts'
import { readList } from '../../../../support/read-list.ts'
import { verifies } from '../../../../verifies.ts'
import { tableFile, tableIn, textFile, xmlFile, xmlIn } from './files.ts'

/** What the forms of a list read from a file; each row is as the list takes it. */
function readAs(kind: 'xml' | 'text' | 'table', whole: unknown, list: List = 'readings'): FormRows {
  const read = formsOf(list)
    .filter((form) => form.kind === kind)
    .map((form) => form.read(whole as never))
    .find((one) => one !== undefined)
  if (read === undefined) throw new RangeError('no form reads the file')
  for (const row of read.rows) if ('value' in row) Reading.parse(row.value)
  return read
}
const valuesOf = ({ rows }: FormRows) =>
  rows.flatMap((row) => ('value' in row ? [[row.value['at'], row.value['value']]] : []))
const refusedOf = ({ rows }: FormRows) =>
  rows.flatMap((row) => ('malformed' in row ? [row.malformed] : []))
const codesOf = ({ findings }: FormRows) => findings.map(({ code }) => code)

verifies('energyops.forms', 'ESPI: readings with unit, length, quality and place', () => {
  const read = readAs('xml', xmlFile('openespi.xml'))
  expect(valuesOf(read).slice(0, 2)).toEqual([
    ['2012-03-01T05:00:00Z', '282'],
    ['2012-03-01T05:15:00Z', '323'],
  ])
  expect(read.rows[0]).toMatchObject({ value: { unit: 'Wh', interval_minutes: 15 } })
  expect(read.says).toMatchObject({ unit: 'Wh', utc_offset_hours: '-5' })
  // Its first reading has the quality 8, and its block is of a day.
  expect(codesOf(read)).toContain('estimated_readings')
  expect(codesOf(read)).toContain('blocks_not_full')
  const other = readAs('xml', xmlFile('green-button.xml'))
  expect(valuesOf(other)).toEqual([
    ['2011-01-01T08:00:00Z', '703'],
    ['2011-01-01T09:00:00Z', '607'],
    ['2011-01-01T10:00:00Z', '543'],
    ['2011-01-01T11:00:00Z', '546'],
    ['2011-01-01T12:00:00Z', '521'],
    expect.anything(),
  ])
  expect(other.rows[0]).toMatchObject({ value: { unit: 'Wh', interval_minutes: 60 } })
})

/** A feed with one reading for each channel: direction, unit, power of ten and value. */
const feedOf = (...channels: [flow: string, uom: string, power: string, value: string][]) =>
  xmlIn(
    `<feed xmlns="http://www.w3.org/2005/Atom">${channels
      .map(
        ([flow, uom, power, value], index) => `
    <entry><link rel="self" href="U/MeterReading/${index}"/><link rel="related" href="T/${index}"/><content><MeterReading/></content></entry>
    <entry><link rel="self" href="T/${index}"/><content><ReadingType><flowDirection>${flow}</flowDirection><powerOfTenMultiplier>${power}</powerOfTenMultiplier><uom>${uom}</uom></ReadingType></content></entry>
    <entry><link rel="up" href="U/MeterReading/${index}/IntervalBlock"/><content><IntervalBlock><IntervalReading><timePeriod><duration>3600</duration><start>1330578000</start></timePeriod><value>${value}</value></IntervalReading></IntervalBlock></content></entry>`,
      )
      .join('')}</feed>`,
  )

verifies('energyops.forms', 'ESPI: each direction feeds its list, other channels are named', () => {
  const both = feedOf(['1', '72', '-3', '577'], ['19', '72', '3', '41'], ['1', '38', '0', '9'])
  const drawn = readAs('xml', both)
  expect(drawn.rows).toMatchObject([{ value: { value: '0.577', unit: 'Wh' } }])
  expect(drawn.leftOut).toHaveLength(2)
  const fed = readAs('xml', both, 'exports')
  expect(fed.rows).toMatchObject([{ value: { value: '41', unit: 'kWh' } }])
  const two = readAs('xml', feedOf(['1', '72', '0', '5'], ['1', '72', '0', '6']))
  expect(refusedOf(two)).toEqual([
    'is of another meter or channel (U/MeterReading/1): send one meter and channel a list',
  ])
  expect(refusedOf(readAs('xml', feedOf(['1', '72', '0', 'n/a'])))).toHaveLength(1)
})

verifies('energyops.forms', 'NEM12: values by day, quality records and channels', () => {
  const read = readAs('text', textFile('nem12-quality.csv'))
  expect(valuesOf(read)).toHaveLength(48)
  expect(valuesOf(read)[1]).toEqual(['2004-04-17T00:30:00+10:00', '19.15'])
  expect(read.findings).toEqual([
    {
      code: 'estimated_readings',
      // Intervals 1 to 20 are final substitutes, and 25 to 48 substituted.
      detail: 'readings that the file calls estimated or substituted, which count: 44',
    },
  ])
  const solar = textFile('nem12-solar.csv')
  const drawn = readAs('text', solar)
  const fed = readAs('text', solar, 'exports')
  expect([valuesOf(drawn).length, valuesOf(fed).length]).toEqual([576, 576])
  expect(valuesOf(drawn)[0]).toEqual(['2023-03-01T00:00:00+10:00', '0.048'])
  expect(drawn.says['meter']).toBe('NMI1234567 E1')
  expect(fed.says['meter']).toBe('NMI1234567 B1')
})

verifies('energyops.forms', 'NEM12: a cut file, no data, a second channel, a wrong count', () => {
  const day = (date: string, count: number, quality: string) =>
    `300,${date},${Array.from({ length: count }, () => '1').join(',')},${quality},,,20260101000000,`
  const file = (...records: string[]) => ['100,NEM12,202601010000,A,B', ...records].join('\r\n')
  const channel = (suffix: string, uom = 'KWH') => `200,6001,E1,1,${suffix},N1,S1,${uom},30,`
  const cut = readAs('text', file(channel('E1'), day('20260101', 48, 'V'), '400,1,2,N,,'))
  expect(valuesOf(cut)).toHaveLength(46)
  expect(cut.leftOut.map(({ reason }) => reason)).toEqual([
    'no data for interval 1 (quality N)',
    'no data for interval 2 (quality N)',
  ])
  expect(codesOf(cut)).toEqual(['no_end_record'])
  const two = readAs(
    'text',
    file(channel('E1'), day('20260101', 48, 'A'), channel('E2'), day('20260101', 48, 'A'), '900'),
  )
  expect(refusedOf(two)).toHaveLength(1)
  const reactive = readAs('text', file(channel('Q1', 'kvarh'), day('20260101', 48, 'A'), '900'))
  expect([reactive.rows.length, reactive.leftOut.length]).toEqual([0, 2])
  const short = readAs('text', file(channel('E1'), day('20260101', 47, 'A'), '900'))
  expect(refusedOf(short)).toEqual(['has not 48 values and then their quality'])
})

verifies(
  'energyops.forms',
  'tables of utilities: intervals in one cell, by both directions',
  () => {
    const table = tableFile('sce-net-meter.csv')
    const drawn = readAs('table', table)
    expect(valuesOf(drawn)).toEqual([
      ['2022-08-01T00:00:00', '0.41'],
      ['2022-08-01T00:15:00', '0.42'],
      ['2022-08-01T00:30:00', '0.43'],
      ['2022-08-01T00:45:00', '0.44'],
    ])
    expect(drawn.rows[0]).toMatchObject({ value: { unit: 'kWh', interval_minutes: 15 } })
    expect(valuesOf(readAs('table', table, 'exports'))).toEqual([
      ['2022-08-01T09:00:00', '0.07'],
      ['2022-08-01T09:15:00', '0.08'],
      ['2022-08-01T09:30:00', '0.15'],
      ['2022-08-01T09:45:00', '0.52'],
    ])
  },
)

verifies(
  'energyops.forms',
  'tables of utilities: date, start and end in cells of their own',
  () => {
    const peco = readAs('table', tableFile('peco.csv'))
    expect(valuesOf(peco)[1]).toEqual(['2023-07-04T01:00:00', '0.35'])
    expect(peco.rows[1]).toMatchObject({ value: { unit: 'kWh', interval_minutes: 60 } })
    const net = tableIn(`TYPE,DATE,START TIME,END TIME,IMPORT (kWh),EXPORT (kWh),COST,NOTES
Electric usage,8/13/2025,0:00,0:14,0.300,0.000,$0.19,
Electric usage,8/13/2025,0:15,0:29,"1,200.5",0.050,$0.06,* This data was estimated
Electric usage,8/13/2025,0:30,0:44,,0.050,$0.06,`)
    const drawn = readAs('table', net)
    expect(valuesOf(drawn)).toEqual([
      ['2025-08-13T00:00:00', '0.3'],
      ['2025-08-13T00:15:00', '1200.5'],
    ])
    expect([codesOf(drawn), drawn.leftOut.length]).toEqual([['estimated_readings'], 1])
    expect(valuesOf(readAs('table', net, 'exports'))[1]).toEqual(['2025-08-13T00:15:00', '0.05'])
    const sdge = tableIn(`Meter Number,Date,Start Time,Duration,Consumption,Generation,Net
0551,7/1/2025,12:00 AM,60,0.5,0.1,0.4
0551,7/13/2025,1:00 PM,60,0.6,0.1,0.5
0552,7/13/2025,2:00 PM,60,0.6,0.1,0.5`)
    const read = readAs('table', sdge)
    expect(valuesOf(read)).toEqual([
      ['2025-07-01T00:00:00', '0.5'],
      ['2025-07-13T13:00:00', '0.6'],
    ])
    expect(refusedOf(read)).toHaveLength(1)
  },
)

verifies(
  'energyops.forms',
  'tables of utilities: a day a row, and what is not clear is refused',
  () => {
    const clocks = Array.from(
      { length: 48 },
      (_, index) => `${index >> 1}:${index % 2 === 0 ? '00' : '30'}`,
    )
    const values = clocks.map((_, index) => `0,${index + 10}`)
    const quoted = values.map((value) => `"${value}"`).join(',')
    const day = readAs(
      'table',
      tableIn(`MPAN,Date,${clocks.join(',')}\n123,31/01/2026,${quoted}\n`),
    )
    expect(valuesOf(day)[47]).toEqual(['2026-01-31T23:30:00', '0.57'])
    const hours = Array.from({ length: 24 }, (_, index) => `H${index + 1}`).join(',')
    const numbered = readAs(
      'table',
      tableIn(
        `Date,${hours}\n2026-01-31,${Array.from({ length: 24 }, () => '1').join(',')}\nTotal,24,,\n`,
      ),
    )
    expect(valuesOf(numbered)).toHaveLength(24)
    expect(numbered.leftOut).toEqual([{ line: 3, reason: 'is a total' }])
    const unclear = readAs(
      'table',
      tableIn('Date,Start Time,End Time,Usage\n01/02/2026,0:00,0:15,1\n'),
    )
    expect(refusedOf(unclear)).toEqual([
      'has no time, or one whose day and month may be either way round',
    ])
    const comma = readAs(
      'table',
      tableIn('Date,Start Time,End Time,Usage\n2026-01-02,0:00,0:15,"1,234"\n'),
    )
    expect(refusedOf(comma)).toEqual(['has no clear number'])
    for (const form of formsOf('readings'))
      if (form.kind === 'table') expect(form.read(tableIn('a,b,c\n1,2,3\n'))).toBeUndefined()
  },
)

verifies(
  'energyops.forms',
  'uploads are read by their forms, and plain tables by headings',
  async () => {
    const read = async (text: string, list: List = 'readings') => {
      const { rows, wrong, reading } = await readList('energyops', list, text)
      expect(wrong).toEqual([])
      return { form: reading.form, rows }
    }
    const files = ['openespi.xml', 'nem12-quality.csv', 'sce-net-meter.csv', 'peco.csv']
    const found = await Promise.all(files.map((name) => read(textFile(name))))
    expect(found.map(({ form, rows }) => [form, rows.length])).toEqual([
      ['ESPI (Green Button)', 6],
      ['NEM12', 48],
      ['Interval table of a utility', 4],
      ['Interval table of a utility', 4],
    ])
    const plain = 'Meter report\nInterval Start;Usage (kWh);Units\n2026-01-31 10:00;1,25;KWH\n'
    expect(await read(plain)).toEqual({
      form: 'table',
      rows: [{ at: '2026-01-31T10:00:00', value: '1.25', unit: 'KWH' }],
    })
    const exported = 'timestamp,Export kWh\n2026-01-31T10:00:00Z,0.5\n'
    expect((await read(exported, 'exports')).rows).toEqual([
      { at: '2026-01-31T10:00:00Z', value: '0.5' },
    ])
  },
)
