import { groupedBy } from '../../core/grouped-by.ts'
import { startOf } from '../values/calendar.ts'
import { inOrder } from '../work/work.ts'
import { contradictionsIn, type Opposed } from './contradictions.ts'
import type { Scored } from './coverage.ts'
import { type Fault, faultsOf, named } from './faults.ts'
import type { InspectedItem } from './item.ts'
import { checkSample } from './samples.ts'
import type { Contradiction, PacketInput, Sample } from './schema.ts'

export type Judged = Scored & { isContradicted: boolean }
export type Judgement = {
  /** In the order of the items given. */
  scored: Judged[]
  faults: Fault[]
  contradictions: Contradiction[]
  samples: Sample[]
}

/** Judges the items of a packet, each by itself and against the others. */
export function judge(items: readonly InspectedItem[], packet: PacketInput): Judgement {
  const bySection = groupedBy(items, ({ item }) => item.section)
  const superseded = supersededIn(bySection)
  const live = items.filter((one) => !superseded.by.has(one))
  const opposed = contradictionsIn(live)
  const sampled = items.flatMap((one) => samplesOf(one, bySection.get(one.item.section) ?? []))
  const faults = new Map<InspectedItem, Fault[]>()
  const add = (one: InspectedItem, more: Fault[]) =>
    faults.set(one, [...(faults.get(one) ?? []), ...more])
  for (const one of items) add(one, faultsOf(one, packet))
  for (const { one, more } of [...superseded.faults, ...sampled]) add(one, more)
  for (const one of opposed) {
    const shared = contradictionFault(one)
    for (const side of new Set(one.items)) add(side, [shared])
  }
  const contradicted = new Set(
    opposed.filter(({ kind }) => kind === 'fact').flatMap(({ items }) => items),
  )
  const unjudged = packet.as_of === undefined
  return {
    scored: items.map((inspected) => {
      const own = faults.get(inspected) ?? []
      const caps = own.map(({ cap }) => cap)
      return {
        inspected,
        points: Math.min(...caps, unjudged ? 1 : 2),
        reasons: [
          ...own.filter(({ cap }) => cap < 2).map(({ code }) => code),
          ...(unjudged ? ['as_of_missing'] : []),
        ],
        isFailing: contradicted.has(inspected) || (inspected.read?.statements.length ?? 0) > 0,
        isContradicted: contradicted.has(inspected),
        supersededBy: superseded.by.get(inspected) ?? null,
      }
    }),
    faults: distinct([...faults.values()].flat()),
    contradictions: opposed.map(({ contradiction }) => contradiction),
    samples: sampled.flatMap(({ sample }) => (sample === null ? [] : [sample])),
  }
}

/** A contradiction is a fault of each of its items, and is reported once. */
const distinct = (faults: Fault[]): Fault[] => [...new Set(faults)]

function contradictionFault({ contradiction: { about, sides }, kind }: Opposed): Fault {
  const said = sides.map(({ name, section, value }) => `“${name}” in ${section} says ${value}`)
  return {
    code: kind === 'fact' ? 'contradicted' : 'statements_differ',
    cap: kind === 'fact' ? 0 : 1,
    gap: null,
    detail: `${about}: ${said.join(', ')}`,
    citations: sides.map(({ citation }) => citation),
  }
}

type More = { one: InspectedItem; more: Fault[] }

/**
 * Items that a later one of their section replaces. The later one has to be issued later, and to be current, filled in and what its
 * digest says.
 */
function supersededIn(bySection: ReadonlyMap<string, InspectedItem[]>): {
  by: Map<InspectedItem, string>
  faults: More[]
} {
  const by = new Map<InspectedItem, string>()
  const faults: More[] = []
  const later = [...bySection.values()]
    .flatMap((own) => own.filter(({ item }) => item.supersedes !== undefined))
    .toSorted(inOrder(issuedAt))
  for (const one of later) {
    const own = bySection.get(one.item.section) ?? []
    const replaced = own.filter(
      (other) =>
        other.item.name === one.item.supersedes && issuedAt(other) < issuedAt(one) && isSound(one),
    )
    for (const other of replaced) by.set(other, one.item.name)
    if (replaced.length === 0)
      faults.push({
        one,
        more: [
          {
            code: 'supersedes_nothing',
            cap: 1,
            gap: null,
            detail: `${named(one)} does not supersede “${one.item.supersedes}”: an earlier item of that name and a sound later one are needed`,
            citations: [{ pointer: `${one.place}/supersedes`, quote: String(one.item.supersedes) }],
          },
        ],
      })
  }
  return { by, faults }
}

/** An item without a date is the earliest: it supersedes nothing. */
const issuedAt = ({ item }: InspectedItem) =>
  item.issued_at === undefined ? Number.NEGATIVE_INFINITY : startOf(item.issued_at)
const isSound = ({ digest, validity, read }: InspectedItem) =>
  digest !== 'mismatch' &&
  validity === 'current' &&
  read?.state !== 'empty' &&
  read?.state !== 'placeholder'

type SampleNote = More & { sample: Sample | null }

function samplesOf(one: InspectedItem, own: readonly InspectedItem[]): SampleNote[] {
  const { item, section, read, place } = one
  if (item.sample_of === undefined || section === undefined) return []
  const citations = [{ pointer: `${place}/sample_of`, quote: item.sample_of }]
  const more: Fault[] = []
  const note = (code: string, detail: string) =>
    more.push({ code, cap: 1, gap: null, detail, citations })
  const whole = named(one)
  const population = own.find((other) => other !== one && other.item.name === item.sample_of)
  if (population === undefined)
    note(
      'population_missing',
      `the population of ${whole}, “${item.sample_of}”, is not in its section`,
    )
  if (read?.table === undefined) {
    note('sample_not_a_table', `${whole} is no table of rows: its sample cannot be compared`)
    return [{ one, more, sample: null }]
  }
  const sample = checkSample({
    section,
    sample: { name: item.name, table: read.table },
    population: population && { name: item.sample_of, table: population.read?.table },
    stated: item.population_size ?? population?.item.population_size ?? null,
  })
  const { population_size: size, stated_population_size: stated, needed, strangers } = sample
  if (stated !== null && size !== null && stated !== size)
    note(
      'population_size_differs',
      `${whole}: the population has ${size} rows, ${stated} are stated`,
    )
  if (sample.state === 'too_small')
    note('sample_too_small', `${whole} has ${sample.sample_size} of ${size}, ${needed} are needed`)
  if (sample.state === 'not_from_population')
    note(
      'sample_not_from_population',
      `${whole} has ${strangers.length} rows that its population lacks, first ${strangers[0]}`,
    )
  if (sample.state === 'population_unknown')
    note('population_unknown', `${whole}: the size of its population is unknown`)
  if (sample.repeated > 0)
    note('sample_rows_repeated', `${whole} has ${sample.repeated} rows more than once`)
  return [{ one, more, sample }]
}
