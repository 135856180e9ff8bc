import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rail, RailKey } from '#domain/rails/rail.ts'
import { dice, pick, shuffled } from './dice.ts'
import { questionnaire } from './diligenceops/questionnaire.ts'
import { meterYear } from './energyops/readings.ts'
import { receivables } from './financeops/receivables.ts'
import { fullPacket } from './packetops/packet.ts'
import { registry, tasks } from './scout/registry.ts'
import { usageMaterial } from './tokenops/usage.ts'

type Roll = () => number
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const upTo = (most: number, roll: Roll) => Math.floor(roll() * (most + 1))
const some = <T>(from: readonly T[], most: number, roll: Roll): T[] =>
  times(1 + upTo(most - 1, roll), () => pick(from, roll))
const day = (offset: number) => new Date(Date.UTC(2026, 0, 1 + offset)).toISOString().slice(0, 10)
const maybe = <T extends object>(roll: Roll, part: T): Partial<T> => (roll() < 0.5 ? part : {})

const contracts = join(import.meta.dirname, 'contractops', 'contracts')
const texts = readdirSync(contracts)
  .toSorted()
  .map((file) => readFileSync(join(contracts, file), 'utf8'))

/** Pieces of text that meet every pattern of the rails, whole and in halves. */
const fragments = (
  'This Agreement|between|and|Acme Corp. ("Provider")|(the "Customer")|Globex LLC, a Delaware company (the "Client")|shall|must not|may not|' +
  'each party|neither party|Provider|Customer|the Client|by Provider|be paid|promptly|within thirty (30) days|forty-five (54) days|' +
  '$5,000|USD 12 million|five hundred dollars|one thousand euros ($1,000)|€ 7.5k|3 per cent|twelve percent (12%)|12 months|two (2) years|' +
  '10 business days|March 3, 2026|3rd day of April, 2027|2026-05-31|03/04/2026|31.12.2026|5 users|Section 4|ISO 27001|notice of non-renewal|' +
  'renew automatically|initial term|terminate|for convenience|for cause|Exhibit A|Schedule 2|[TBD]|____|\n\n|\n|. |, |; |:|(|)|"|“|”|' +
  'effective|until|expires|monthly fee of|per month|annually|Landlord: Harbour Estates LLC|retention|backups|logs|encrypted|are kept for|' +
  'release 4.2|e.g.|Inc.|No. 7|U.S. dollars|hundred and five|twenty one|one one one|99|1,2,3|0.5%|a|of|the'
).split('|')
const prose = (length: number, roll: Roll) => times(length, () => pick(fragments, roll)).join(' ')

const subjects = [
  'Backups',
  'Audit logs',
  'Session tokens',
  'Customer records',
  'Support tickets',
  'Release 4.2 images',
]
const verbs = [
  'are kept encrypted for',
  'are retained by operations for',
  'are reviewed by security every',
  'expire in storage after',
]
const amounts = [
  '30 days',
  'thirty (30) days',
  '1 month',
  '12 months',
  'one year',
  '90 days',
  '5 years',
  '14 business days',
  '10 percent',
  '$500',
]
const sentence = (roll: Roll) =>
  `${pick(subjects, roll)} ${pick(verbs, roll)} ${pick(amounts, roll)}.`
const words = [...subjects, ...verbs, 'How long', 'Which', 'archive']

function diligence(roll: Roll): unknown {
  const dated = (index: number) => maybe(roll, { dated: day(index) })
  return {
    questions: times(1 + upTo(14, roll), (index) => ({
      id: `q${index}`,
      text: some(words, 4, roll).join(' '),
      ...maybe(roll, { required: roll() < 0.5 }),
    })),
    evidence: times(1 + upTo(7, roll), (index) => ({
      id: `e${index}`,
      title: `Text ${index}`,
      text:
        roll() < 0.2
          ? prose(80, roll)
          : times(upTo(25, roll), () => sentence(roll)).join(roll() < 0.3 ? '\n\n' : ' '),
      ...dated(index),
    })),
    ...maybe(roll, { min_score: upTo(10, roll) / 10 }),
  }
}

function finance(roll: Roll): unknown {
  const parties = ['Alder', 'birch ', 'Cedar  Ltd', 'cedar ltd', 'Dogwood']
  const size = 1 + upTo(30, roll)
  const money = () => ({
    amount_minor: upTo(12, roll) * 50 - 50,
    currency: pick(['USD', 'USD', 'EUR'], roll),
  })
  const names = () =>
    times(upTo(3, roll), () => `INV-${upTo(size, roll)}`).join(pick([' ', ', ', ';', ' # '], roll))
  return {
    ...maybe(roll, { tolerance_minor: pick([0, 1, 50, 120], roll) }),
    ...maybe(roll, { as_of: day(40) }),
    invoices: times(size, (index) => ({
      id: `inv-${roll() < 0.1 ? upTo(size, roll) : index}`,
      ...money(),
      counterparty: pick(parties, roll),
      due_at: day(upTo(120, roll)),
    })),
    payments: times(upTo(30, roll), (index) => ({
      id: `pay-${roll() < 0.1 ? upTo(30, roll) : index}`,
      ...money(),
      paid_at: day(upTo(120, roll)),
      ...maybe(roll, { counterparty: pick(parties, roll) }),
      ...maybe(roll, { reference: names() || 'none' }),
    })),
  }
}

function contract(roll: Roll): unknown {
  const text = roll() < 0.6 ? prose(10 + upTo(300, roll), roll) : mixed(roll)
  return { text, ...maybe(roll, { as_of: day(upTo(900, roll)) }) }
}
const mixed = (roll: Roll) =>
  shuffled(pick(texts, roll).split(/(?<=\.\s)/), roll)
    .slice(0, 40)
    .join('')

const names = ['Anna Lindqvist', 'Søn & Co', '王伟']
const ibans = ['DE89 3704 0044 0532 0130 00', 'NL91ABNA0417164300', 'GB29NWBK60161331926819']
const wallets = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xde709f2102306220921060314715629080e2fb77',
]
const creditTransfer = {
  debtor: { name: 'Größte Gesellschaft', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  execution_date: '2026-07-15',
  created_at: '2026-07-13T09:00:00Z',
  remittance: 'Q2 & more',
}

function distribution(roll: Roll): unknown {
  return {
    pool: { amount_minor: upTo(100_000, roll), currency: pick(['EUR', 'USD', 'USDC'], roll) },
    ...maybe(roll, { credit_transfer: creditTransfer }),
    ...maybe(roll, { rounding: pick(['largest_remainder', 'down'], roll) }),
    recipients: times(upTo(25, roll), (index) => ({
      id: `r${roll() < 0.1 ? upTo(25, roll) : index}`,
      ...(roll() < 0.7 ? { weight: upTo(50, roll) / 4 } : { amount_minor: upTo(4_000, roll) }),
      ...maybe(roll, { cap_minor: upTo(9_000, roll) }),
      ...maybe(roll, { floor_minor: upTo(900, roll) }),
      ...maybe(roll, { destination_reference: `dest-${upTo(15, roll)}` }),
      ...maybe(roll, { wallet: pick(wallets, roll) }),
      ...maybe(roll, { name: pick(names, roll), iban: pick(ibans, roll) }),
    })),
  }
}

function energy(roll: Roll): unknown {
  const { readings, ...head } = meterYear(1 + upTo(3, roll))
  const touched = readings.flatMap((reading) => {
    if (roll() < 0.02) return []
    if (roll() < 0.02) return [reading, { ...reading, value: pick([reading.value, -1, 999], roll) }]
    return [reading]
  })
  return { ...head, readings: touched }
}

function tokens(roll: Roll): unknown {
  const { usage, ...head } = usageMaterial(1 + upTo(400, roll))
  return {
    ...head,
    ...maybe(roll, { budget_minor: upTo(100_000, roll) }),
    usage: shuffled(usage, roll),
  }
}

function packet(roll: Roll): unknown {
  const items = shuffled(
    fullPacket().map(({ item }) => item),
    roll,
  ).slice(0, 1 + upTo(40, roll))
  return {
    title: 'Packet',
    profile: 'soc2_evidence_packet',
    items,
    ...maybe(roll, { as_of: '2026-06-30' }),
    ...maybe(roll, { required_sections: some(['monitoring', 'extra', 'other'], 3, roll) }),
  }
}

function scouting(roll: Roll): unknown {
  const task = some(
    tasks.map(([text]) => text),
    3,
    roll,
  ).join(', ')
  return {
    task,
    registry: shuffled(registry, roll).slice(0, 1 + upTo(registry.length - 1, roll)),
    ...maybe(roll, { limit: 1 + upTo(24, roll) }),
  }
}

const makers: Record<RailKey, (roll: Roll) => unknown> = {
  packetops: packet,
  diligenceops: diligence,
  energyops: energy,
  distributionops: distribution,
  tokenops: tokens,
  financeops: finance,
  contractops: contract,
  scout: scouting,
}
const larger: Partial<Record<RailKey, () => unknown[]>> = {
  diligenceops: () => {
    const { input } = questionnaire()
    return [{ questions: input.questions.slice(0, 150), evidence: input.evidence }]
  },
  financeops: () => [receivables(400).input],
  contractops: () => texts.flatMap((text) => [{ text }, { text, as_of: '2026-06-30' }]),
  packetops: () => [
    {
      title: 'All',
      profile: 'soc2_evidence_packet',
      as_of: '2026-06-30',
      items: fullPacket().map(({ item }) => item),
    },
  ],
  energyops: () => [meterYear(31)],
  tokenops: () => [usageMaterial(4_000)],
  scout: () => tasks.map(([task]) => ({ task, registry })),
}

const INPUTS = 60

/** Inputs of a rail that its schema accepts, always the same ones. */
export function goldenInputs({ key, input, sandboxInput }: Rail): unknown[] {
  const roll = dice(20_260_731)
  const made = times(INPUTS, () => makers[key](roll))
  return [sandboxInput, ...(larger[key]?.() ?? []), ...made].flatMap((value) => {
    const { data, success } = input.safeParse(value)
    return success ? [data] : []
  })
}
