import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { RailKey } from '#domain/rails/rail.ts'
import { decimalText, scaled } from '#domain/rails/values/amounts.ts'
import { readList } from '../support/read-list.ts'
import { casesOf, matched } from '../workflows/domain/rails/financeops/remittances.ts'
import { filesIn } from './files.ts'

/** Cases of one set: what was right, what was stated and wrong, and what was not stated. */
export type Score = {
  rail: RailKey
  set: string
  /** Who made the truth. */
  truth: string
  cases: number
  right: number
  wrong: number
  missed: number
  differences: string[]
}
/** `stated` is null where the rail refuses the file. */
type Compared = { name: string; stated: string | null; truth: string }

const PLACES = 18
const own = 'test/workflows/domain/rails'
const sumOf = (values: readonly (string | number)[]): string =>
  decimalText(
    values.reduce<bigint>((sum, value) => sum + (scaled(value, PLACES) ?? 0n), 0n),
    PLACES,
  )

/** A case for each figure that the rail read; right where it equals that of the truth. */
function scoreOf(
  named: Pick<Score, 'rail' | 'set' | 'truth'>,
  compared: readonly Compared[],
): Score {
  const wrong = compared.filter(({ stated, truth }) => stated !== truth)
  const missed = wrong.filter(({ stated }) => stated === null).length
  const differences = wrong.map(({ name, stated, truth }) => `${name}: ${stated} for ${truth}`)
  const [cases, right] = [compared.length, compared.length - wrong.length]
  return { ...named, cases, right, wrong: wrong.length - missed, missed, differences }
}

type Row = Record<string, unknown>
const rowsOf = async (rail: RailKey, list: string, path: string) =>
  (await readList(rail, list, readFileSync(path))).rows as Row[]

/** The intervals and the energy of Green Button files, against their elements as a plain text search finds them. */
async function energyops(material: string | null): Promise<Score[]> {
  const folder = material === null ? `${own}/energyops/files` : join(material, 'green-button')
  const compared: Compared[] = []
  for (const path of filesIn(folder, '.xml')) {
    const text = readFileSync(path, 'utf8')
    const readings = text.match(/<(?:\w+:)?IntervalReading\b[\s\S]*?<\/(?:\w+:)?IntervalReading>/g)
    const values = (readings ?? []).map(
      (reading) => /<(?:\w+:)?value>(-?[0-9]+)</.exec(reading)?.[1] ?? '0',
    )
    const [, power = '0'] = /<(?:\w+:)?powerOfTenMultiplier>(-?[0-9]+)</.exec(text) ?? []
    const rows = await rowsOf('energyops', 'readings', path)
    const name = basename(path)
    const energy = sumOf(values.map((value) => `${value}e${power}`))
    compared.push({
      name: `${name} intervals`,
      stated: `${rows.length}`,
      truth: `${values.length}`,
    })
    const stated = sumOf(rows.map(({ value }) => value as string | number))
    compared.push({ name: `${name} energy`, stated, truth: energy })
  }
  const truth = 'the elements of the file by a text search'
  return [scoreOf({ rail: 'energyops', set: 'Green Button', truth }, compared)]
}

/** The charges and the billed sum of FOCUS files, by another reader of CSV. */
async function tokenops(material: string | null): Promise<Score[]> {
  const folder = material === null ? `${own}/tokenops/files` : join(material, 'focus')
  const compared: Compared[] = []
  for (const path of filesIn(folder, '.csv')) {
    const charges = parse(readFileSync(path, 'utf8'), { columns: true, bom: true }) as {
      BilledCost: string
    }[]
    const rows = await rowsOf('tokenops', 'focus', path)
    const name = basename(path)
    compared.push({ name: `${name} charges`, stated: `${rows.length}`, truth: `${charges.length}` })
    const stated = sumOf(rows.map(({ BilledCost }) => BilledCost as string | number))
    const billed = sumOf(charges.map(({ BilledCost }) => BilledCost))
    compared.push({ name: `${name} billed`, stated, truth: billed })
  }
  return [scoreOf({ rail: 'tokenops', set: 'FOCUS', truth: 'another reader of CSV' }, compared)]
}

/** Remittances on one ledger: the invoices that each names. */
async function financeops(material: string | null): Promise<Score[]> {
  const folder = material === null ? `${own}/financeops` : join(material, 'remittances')
  return filesIn(folder, '.txt').map((path) => {
    const results = casesOf(readFileSync(path, 'utf8')).map((one) => {
      const truth = one.truth.split(' ').filter((id) => id !== '')
      const found = matched(one)
      const isWrong = found.some((id) => !truth.includes(id))
      const isRight = !isWrong && found.length === truth.length
      return { ...one, found, isWrong, isRight }
    })
    const differing = results.filter(({ isRight }) => !isRight)
    return {
      rail: 'financeops',
      set: basename(path),
      truth: material === null ? 'the author of the rules, by hand' : 'the set',
      cases: results.length,
      right: results.length - differing.length,
      wrong: results.filter(({ isWrong }) => isWrong).length,
      missed: differing.filter(({ isWrong }) => !isWrong).length,
      differences: differing.map(({ reference, found }) => `${reference}: ${found.join(' ')}`),
    }
  })
}

/** The entries and the sum of NACHA files, against their own control records. */
async function distributionops(material: string | null): Promise<Score[]> {
  const folder = material === null ? `${own}/distributionops/files` : join(material, 'nacha')
  const compared: Compared[] = []
  for (const path of filesIn(folder, '.ach')) {
    const controls = readFileSync(path, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line.startsWith('8'))
    const credits = controls.reduce((sum, line) => sum + Number(line.slice(32, 44)), 0)
    const { rows, wrong } = await readList('distributionops', 'recipients', readFileSync(path))
    const sum = (rows as Row[]).reduce(
      (all, { amount_minor }) => all + Number(amount_minor ?? 0),
      0,
    )
    const stated = wrong.length === 0 ? `${sum}` : null
    compared.push({ name: `${basename(path)} credits`, stated, truth: `${credits}` })
  }
  const truth = 'the control records of the file'
  return [scoreOf({ rail: 'distributionops', set: 'NACHA', truth }, compared)]
}

/** The evaluation of each rail on the material of a folder, or on the excerpts of the tests. */
export const evaluations = { tokenops, financeops, energyops, distributionops } satisfies Partial<
  Record<RailKey, (material: string | null) => Promise<Score[]>>
>
