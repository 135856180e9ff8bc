import type { Form, FormRows, XmlElement } from '../../form.ts'
import type { List } from '../intervals.ts'
import type { Reading } from '../schema.ts'
import { otherList, otherMeter, type RowsSoFar, rowsSoFar, timesTen } from './form-rows.ts'

/** Units of energy and volume by their number in ESPI. */
const units: Readonly<Record<string, string>> = {
  '72': 'Wh',
  '42': 'm3',
  '119': 'ft3',
  '132': 'Btu',
  '169': 'therm',
}
const REVERSE = '19'
/** Values are the use of each interval, or the file does not say what they are. */
const uses = new Set(['', '0', '4'])
/** Edited, estimated in two ways, questionable and projected. */
const estimates = new Set(['7', '8', '9', '10', '12'])

/** A resource of the feed, with the addresses that link it to others. */
type Resource = { element: XmlElement; self: string; up: string; related: string[] }
type Feed = (name: string) => Resource[]
/** The readings of one direction of one meter. */
type Channel = { name: string; type: XmlElement; line: number; blocks: XmlElement[] }

/** The interval readings of one direction: what was drawn, or the reverse flow. */
export const espi = (list: List): Form => ({
  name: 'ESPI (Green Button)',
  source: 'NAESB REQ.21',
  example: 'GreenButtonAlliance/OpenESPI-Common-java; cew821/greenbutton',
  kind: 'xml',
  read: (root) => read(root, list),
})

function read(root: XmlElement, list: List): FormRows | undefined {
  if (root.name !== 'feed' && root.name !== 'entry') return undefined
  const feed = resourcesOf(root)
  if (feed('IntervalBlock').length === 0) return undefined
  const rows = rowsSoFar()
  const channels = channelsOf(feed, rows).filter((channel) => isRead(channel, list, rows))
  const [own, ...others] = channels
  for (const { name, blocks } of others)
    for (const { line } of blocks) rows.refuse(line, otherMeter(name))
  const findings =
    own === undefined ? [] : [...takeBlocks(own, rows), ...summaryFindings(feed, own)]
  return rows.done(saysOf(feed, own), findings)
}

function resourcesOf(root: XmlElement): Feed {
  const byName = new Map<string, Resource[]>()
  const entries = root.name === 'entry' ? [root] : childrenOf(root, 'entry')
  for (const entry of entries) {
    const hrefs = (rel: string) =>
      childrenOf(entry, 'link')
        .filter(({ attributes }) => attributes['rel'] === rel)
        .map(({ attributes }) => (attributes['href'] ?? '').replace(/\/$/, ''))
    const [self = ''] = hrefs('self')
    const [up = ''] = hrefs('up')
    const related = hrefs('related')
    for (const content of childrenOf(entry, 'content'))
      for (const element of content.children) {
        const own = byName.get(element.name) ?? []
        byName.set(element.name, own)
        own.push({ element, self, up, related })
      }
  }
  return (name) => byName.get(name) ?? []
}

/** The blocks by the meter reading that they belong to, each with its reading type. */
function channelsOf(feed: Feed, rows: RowsSoFar): Channel[] {
  const channels = new Map<string, Channel>()
  const types = feed('ReadingType')
  const readings = feed('MeterReading')
  for (const { element, self, up } of feed('IntervalBlock')) {
    const reading =
      readings.length === 1
        ? readings[0]
        : readings.find(
            (one) =>
              one.related.some((href) => href === up || href === self) ||
              (one.self !== '' && `${up}/`.startsWith(`${one.self}/`)),
          )
    const type =
      types.length === 1 ? types[0] : types.find((one) => reading?.related.includes(one.self))
    if (type === undefined) {
      rows.refuse(element.line, 'is a block of intervals whose reading type the file does not name')
      continue
    }
    const name = reading?.self ?? type.self
    const { line } = element
    const channel = channels.get(name) ?? { name, type: type.element, line, blocks: [] }
    channels.set(name, channel)
    channel.blocks.push(element)
  }
  return [...channels.values()]
}

/** Whether a channel is energy of the direction of a list; another is left out, and one of register values refused. */
function isRead({ type, line, name }: Channel, list: List, rows: RowsSoFar): boolean {
  const unit = textOf(type, 'uom')
  const behaviour = textOf(type, 'accumulationBehaviour')
  if (units[unit] === undefined) rows.leave(line, `measures no energy (uom ${unit}): ${name}`)
  else if ((textOf(type, 'flowDirection') === REVERSE) !== (list === 'exports'))
    rows.leave(line, `${otherList(list)}: ${name}`)
  else if (!uses.has(behaviour))
    rows.refuse(line, `states no use of intervals (accumulationBehaviour ${behaviour}): ${name}`)
  else return true
  return false
}

function takeBlocks({ type, blocks }: Channel, rows: RowsSoFar): FormRows['findings'] {
  const length = textOf(type, 'intervalLength')
  const given = textOf(type, 'powerOfTenMultiplier')
  const scale = scaleOf(units[textOf(type, 'uom')] ?? '', Number(given === '' ? '0' : given))
  let short = 0
  for (const block of blocks) {
    let seconds = 0
    for (const reading of childrenOf(block, 'IntervalReading')) {
      const { row, duration } = rowOf(reading, scale, length)
      seconds += duration
      if (typeof row === 'string') rows.refuse(reading.line, row)
      else rows.add(reading.line, row)
      const qualities = childrenOf(reading, 'ReadingQuality')
      if (qualities.some((one) => estimates.has(textOf(one, 'quality')))) rows.estimate()
    }
    const announced = textOf(childrenOf(block, 'interval')[0], 'duration')
    if (announced !== '' && Number(announced) !== seconds) short += 1
  }
  const detail = `blocks whose readings do not come to the time that they are of: ${short}`
  return short === 0 ? [] : [{ code: 'blocks_not_full', detail }]
}

type Scale = { unit: string; power: number }

/** Watt-hours times a thousand are kilowatt-hours, so that no digits are added. */
function scaleOf(unit: string, power: number): Scale {
  if (unit !== 'Wh' || power < 3) return { unit, power }
  return power < 6 ? { unit: 'kWh', power: power - 3 } : { unit: 'MWh', power: power - 6 }
}

function rowOf(
  reading: XmlElement,
  { unit, power }: Scale,
  length: string,
): { row: Reading | string; duration: number } {
  const [period] = childrenOf(reading, 'timePeriod')
  const start = textOf(period, 'start')
  const stated = textOf(period, 'duration')
  const seconds = stated === '' ? length : stated
  const duration = /^[0-9]{1,9}$/.test(seconds) ? Number(seconds) : 0
  const value = textOf(reading, 'value')
  const refused = (row: string) => ({ row, duration })
  if (!/^[0-9]{1,11}$/.test(start)) return refused('has no start in seconds since 1970')
  if (!/^-?[0-9]{1,15}$/.test(value)) return refused('has no whole number as value')
  if (!Number.isInteger(power) || Math.abs(power) > 12) return refused('has no power of ten')
  if (duration === 0 || duration % 60 !== 0) return refused('has no duration in whole minutes')
  const at = `${new Date(Number(start) * 1_000).toISOString().slice(0, 19)}Z`
  const row = { at, value: timesTen(value, power), unit, interval_minutes: duration / 60 }
  return { row, duration }
}

/** Use that the file states for a billing period, against its intervals where they are all there. */
function summaryFindings(feed: Feed, { type, blocks }: Channel): FormRows['findings'] {
  const summaries = [...feed('UsageSummary'), ...feed('ElectricPowerUsageSummary')]
  const power = Number(textOf(type, 'powerOfTenMultiplier') || '0')
  return summaries.flatMap(({ element }) => {
    const [period] = childrenOf(element, 'billingPeriod')
    const [stated] = childrenOf(element, 'overallConsumptionLastPeriod')
    const isSame = textOf(stated, 'uom') === textOf(type, 'uom')
    const from = Number(textOf(period, 'start'))
    const end = from + Number(textOf(period, 'duration'))
    if (period === undefined || stated === undefined || !isSame) return []
    const [seconds, sum] = useWithin(blocks, from, end)
    const announced =
      Number(textOf(stated, 'value')) * 10 ** Number(textOf(stated, 'powerOfTenMultiplier') || '0')
    const use = sum * 10 ** power
    if (seconds !== end - from || Math.abs(use - announced) < 1) return []
    const unit = units[textOf(type, 'uom')]
    const detail = `the file states ${announced} ${unit} for its billing period, and its intervals come to ${use} ${unit}`
    return [{ code: 'summary_differs', detail }]
  })
}

function useWithin(blocks: XmlElement[], from: number, end: number): [number, number] {
  let [seconds, sum] = [0, 0]
  for (const block of blocks)
    for (const reading of childrenOf(block, 'IntervalReading')) {
      const [period] = childrenOf(reading, 'timePeriod')
      const start = Number(textOf(period, 'start'))
      if (start < from || start >= end) continue
      seconds += Number(textOf(period, 'duration'))
      sum += Number(textOf(reading, 'value'))
    }
  return [seconds, sum]
}

function saysOf(feed: Feed, own: Channel | undefined): FormRows['says'] {
  const [zone] = feed('LocalTimeParameters')
  const offset = zone === undefined ? '' : textOf(zone.element, 'tzOffset')
  const unit = own === undefined ? undefined : units[textOf(own.type, 'uom')]
  return {
    ...(own !== undefined && { meter: own.name }),
    ...(unit !== undefined && { unit }),
    ...(offset !== '' && { utc_offset_hours: String(Number(offset) / 3_600) }),
  }
}

const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  (element?.children ?? []).filter((child) => child.name === name)

const textOf = (element: XmlElement | undefined, name: string): string =>
  childrenOf(element, name)[0]?.text ?? ''
