import type { Form, FormRows } from '../../form.ts'
import { DAY_MINUTES, dayFrom } from '../../values/calendar.ts'
import type { List } from '../intervals.ts'
import { unitOf } from '../units.ts'
import { otherList, otherMeter, plainNumber, type RowsSoFar, rowsSoFar } from './form-rows.ts'

const energyUnits = new Set(['Wh', 'kWh', 'MWh'])
/** What the first letter of a channel measures: energy to the customer, and energy from the customer. */
const letters = { readings: 'E', exports: 'B' } as const
/** Meters of Western Australia; all others that the form is for keep the time of the eastern market. */
const WESTERN = /^80[0-2]/

type Channel = { name: string; unit: string; minutes: number; offset: string }
type Day = { line: number; date: string; values: string[]; qualities: string[]; channel: Channel }
type Record = { line: number; cells: string[] }

/** One channel of one meter, from the records 200, 300 and 400. Times are those of the market, without daylight saving. */
export const nem12 = (list: List): Form => ({
  name: 'NEM12',
  source: 'AEMO, Meter Data File Format Specification NEM12 and NEM13',
  example: 'examples of AEMO in the PyPI package nemreader',
  kind: 'text',
  read: (text) => read(text, list),
})

function read(text: string, list: List): FormRows | undefined {
  if (!/^\uFEFF?\s*100,NEM12,/i.test(text)) return undefined
  const rows = rowsSoFar()
  const state = { channel: null as Channel | null, day: null as Day | null, ended: false }
  let own: Channel | null = null
  const takeDay = () => {
    if (state.day !== null) addDay(state.day, rows)
    state.day = null
  }
  for (const record of recordsOf(text)) {
    const { line, cells } = record
    const kind = cells[0] ?? ''
    if (kind !== '400') takeDay()
    if (state.ended && kind !== '100') rows.refuse(line, 'stands behind the end of the file')
    else if (kind === '100') state.ended = false
    else if (kind === '200') state.channel = channelOf(record, list, rows)
    else if (kind === '300' && state.channel !== null) {
      own ??= state.channel
      if (own.name === state.channel.name) state.day = dayOf(record, state.channel, rows)
      else rows.refuse(line, otherMeter(state.channel.name))
    } else if (kind === '400' && state.day !== null) addQuality(record, state.day, rows)
    else if (kind === '900') state.ended = true
    else if (!['300', '400', '500'].includes(kind)) rows.refuse(line, `is no record of NEM12`)
    else rows.leave(line, 'is of another channel, or no reading of an interval')
  }
  takeDay()
  const detail = 'the file has no end record (900), so that it may be cut off'
  return rows.done(
    own === null ? {} : { meter: own.name, unit: own.unit, utc_offset: own.offset },
    state.ended ? [] : [{ code: 'no_end_record', detail }],
  )
}

function* recordsOf(text: string): Generator<Record> {
  for (const [index, whole] of text.split(/\r\n|\n|\r/).entries()) {
    const record = whole.replace(/^\uFEFF/, '').trim()
    if (record !== '')
      yield { line: index + 1, cells: record.split(',').map((cell) => cell.trim()) }
  }
}

/** The channel of a record 200; null for one that measures something else. */
function channelOf({ line, cells }: Record, list: List, rows: RowsSoFar): Channel | null {
  const [, nmi = '', , , suffix = '', , , uom = '', length = ''] = cells
  const name = `${nmi} ${suffix}`
  const unit = unitOf(uom)
  const minutes = Number(length)
  const isEnergy = energyUnits.has(unit)
  const letter = suffix.slice(0, 1).toUpperCase()
  if (!isEnergy || (letter !== letters.readings && letter !== letters.exports))
    rows.leave(line, `measures no energy (${suffix} in ${uom})`)
  else if (letter !== letters[list]) rows.leave(line, `${otherList(list)}: ${name}`)
  else if (![5, 15, 30].includes(minutes))
    rows.refuse(line, `has no interval length of 5, 15 or 30 minutes`)
  else return { name, unit, minutes, offset: WESTERN.test(nmi) ? '+08:00' : '+10:00' }
  return null
}

function dayOf({ line, cells }: Record, channel: Channel, rows: RowsSoFar): Day | null {
  const count = DAY_MINUTES / channel.minutes
  const [, year = '', month = '', date = ''] = /^(\d{4})(\d\d)(\d\d)$/.exec(cells[1] ?? '') ?? []
  const day = dayFrom(Number(year), Number(month), Number(date))
  const quality = cells[2 + count] ?? ''
  if (day === undefined) rows.refuse(line, 'has no date')
  else if (!/^[AEFNSV]/.test(quality))
    rows.refuse(line, `has not ${count} values and then their quality`)
  else
    return {
      line,
      date: day,
      values: cells.slice(2, 2 + count),
      qualities: Array.from({ length: count }, () => quality),
      channel,
    }
  return null
}

/** The quality of some intervals of the day before, from a record 400. */
function addQuality({ line, cells }: Record, { qualities }: Day, rows: RowsSoFar): void {
  const [, first = '', last = '', quality = ''] = cells
  const [from, to] = [Number(first), Number(last)]
  const isWithin = Number.isInteger(from) && Number.isInteger(to)
  if (!isWithin || from < 1 || to < from || to > qualities.length)
    rows.refuse(line, 'is of intervals that the day has not')
  else qualities.fill(quality, from - 1, to)
}

function addDay({ line, date, values, qualities, channel }: Day, rows: RowsSoFar): void {
  const { unit, minutes, offset } = channel
  for (const [index, text] of values.entries()) {
    const quality = (qualities[index] ?? '').slice(0, 1)
    const value = plainNumber(text)
    const begin = index * minutes
    const clock = [Math.floor(begin / 60), begin % 60].map((part) => String(part).padStart(2, '0'))
    if (quality === 'N') rows.leave(line, `no data for interval ${index + 1} (quality N)`)
    else if (value === undefined) rows.refuse(line, `has no number for interval ${index + 1}`)
    else {
      if ('EFS'.includes(quality)) rows.estimate()
      const at = `${date}T${clock.join(':')}:00${offset}`
      rows.add(line, { at, value, unit, interval_minutes: minutes })
    }
  }
}
