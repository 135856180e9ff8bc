import fc from 'fast-check'
import { digestOf } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { ledgerEntry } from '#domain/tasks/ledger.ts'
import { nextTaskState, type TaskEvent, type TaskState } from '#domain/tasks/lifecycle.ts'
import { finishedTask, signedFile } from '../../support/finished-task.ts'
import { meterYear } from '../../workflows/domain/rails/energyops/readings.ts'

export type Piece = { kind: 'work' | 'replay' | 'csv'; rail?: RailKey; value: unknown }
/** Inputs made to be slow, by their size: `size` and four doublings of it are measured, all of them accepted inputs. */
export type Bomb = {
  name: string
  size: number
  make: (size: number, draw: Draw) => Piece | Promise<Piece>
}
export type Draw = { word: string; amount: number }

/** Tests in two files, which run side by side. */
export const ofTexts = ({ name }: Bomb): boolean => /^(diligenceops|contractops|scout)/.test(name)

/** What may vary without a change of size. */
export const draws: fc.Arbitrary<Draw> = fc.record({
  word: fc.string({ unit: fc.constantFrom(...'bdgmnrst'), minLength: 5, maxLength: 9 }),
  amount: fc.integer({ min: 1, max: 1_000 }),
})

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const letters = (at: number) =>
  at.toString(36).replace(/[0-9]/g, (digit) => 'ghijklmnop'[Number(digit)] as string)
const currency = (at: number) =>
  times(5, (place) => String.fromCharCode(65 + (Math.floor(at / 26 ** place) % 26))).join('')
const work = (rail: RailKey, value: unknown): Piece => ({ kind: 'work', rail, value })
const invoice = (id: string, amount_minor: number, more = {}) => ({
  id,
  amount_minor,
  currency: 'USD',
  counterparty: 'a',
  due_at: '2026-01-01',
  ...more,
})
const payment = (id: string, amount_minor: number, more = {}) => ({
  id,
  amount_minor,
  currency: 'USD',
  paid_at: '2026-01-02',
  ...more,
})
const contract = (text: string) => work('contractops', { text })
const evidence = (text: string) => [{ id: 'e', title: 't', text }]
const service = (at: number, capabilities: string[]) => ({
  service_id: `s${at}`,
  name: `s${at}`,
  summary: 'x',
  capabilities,
  rail: null,
  protocols: [],
  price_usd: 1,
  origin: 'registry',
  state: 'available',
})
const usage = (model: string, more = {}) => ({
  at: '2026-01-01T00:00:00Z',
  model,
  input_tokens: 1,
  output_tokens: 1,
  ...more,
})
const price = (model: string) => ({
  model,
  input_per_million_minor: 1,
  output_per_million_minor: 1,
})
const meter = meterYear(1)

/** Copies of a sentence that many others contradict and many questions cite. */
export const alikeSentences = (copies: number, { word, amount }: Draw, others = 1_000): Piece =>
  work('diligenceops', {
    questions: times(2 * others, (at) => ({
      id: `q${at}`,
      text: `How long are ${word} backups kept?`,
    })),
    evidence: evidence(
      [
        ...times(copies, () => `The ${word} backups are kept for ${amount} days.`),
        ...times(others, (at) => `The ${word} backups are kept for ${amount + 1 + at} days.`),
      ].join('\n\n'),
    ),
  })

export const bombs: readonly Bomb[] = [
  {
    name: 'financeops: references that join all invoices to one',
    size: 500,
    make: (size, { amount }) =>
      work('financeops', {
        invoices: times(size, (at) => invoice(`i${at}`, amount)),
        payments: times(size, (at) =>
          payment(`p${at}`, amount, { reference: `i${at} i${Math.max(0, at - 1)}` }),
        ),
      }),
  },
  {
    name: 'financeops: a currency for each row',
    size: 400,
    make: (size, { amount }) =>
      work('financeops', {
        invoices: times(size, (at) => invoice(`i${at}`, amount, { currency: currency(at) })),
        payments: times(size, (at) => payment(`p${at}`, amount, { currency: currency(at + size) })),
      }),
  },
  {
    name: 'financeops: one party, one payment for all of its invoices',
    size: 1_000,
    make: (size, { amount }) =>
      work('financeops', {
        invoices: times(size, (at) => invoice(`i${at}`, amount)),
        payments: [payment('all', amount * size, { counterparty: 'a' })],
      }),
  },
  {
    name: 'financeops: discounts and payments of one amount, too late for each other',
    size: 1_000,
    make: (size, { amount }) =>
      work('financeops', {
        invoices: times(size, (at) =>
          invoice(`i${at}`, amount * 100, { discount_percent: 10, discount_until: '2025-12-31' }),
        ),
        payments: times(size, (at) => payment(`p${at}`, amount * 90, { counterparty: 'a' })),
      }),
  },
  {
    name: 'tokenops: a price and a rate for each day',
    size: 300,
    make: (size, { word }) => {
      const days = times(size, (at) => new Date(at * 86_400_000).toISOString().slice(0, 10))
      return work('tokenops', {
        currency: 'EUR',
        price_table: days.map((from) => ({ ...price(word), currency: 'USD', from })),
        exchange_rates: days.map((day) => ({ from: 'USD', to: 'EUR', rate: 0.5, day })),
        usage: days.map((day) => usage(word, { at: `${day}T00:00:00Z` })),
      })
    },
  },
  {
    name: 'diligenceops: copies of a sentence that many others contradict and many questions cite',
    size: 60,
    make: (size, drawn) => alikeSentences(size, drawn, 100),
  },
  {
    name: 'diligenceops: one sentence of mentions',
    size: 1_500,
    make: (size, { word, amount }) =>
      work('diligenceops', {
        questions: [{ id: 'q', text: word }],
        evidence: evidence(`${word} ${`$${amount} `.repeat(size)}`),
      }),
  },
  {
    name: 'diligenceops: one word without an end',
    size: 64_000,
    make: (size, { word }) =>
      work('diligenceops', {
        questions: [{ id: 'q', text: word }],
        evidence: evidence('a'.repeat(size)),
      }),
  },
  {
    name: 'contractops: days until which something lasts',
    size: 900,
    make: (size) =>
      contract('The term lasts until 2026-05-31. '.slice(0, 33).repeat(Math.floor(size))),
  },
  {
    name: 'contractops: attachments that are named and not supplied, after blank lines',
    size: 500,
    make: (size) => contract(times(size, (at) => `see Exhibit ${at % 100}`).join('\n\n\n\n')),
  },
  {
    name: 'contractops: blanks that are opened and never closed',
    size: 3_000,
    make: (size) => contract('[insert '.repeat(size)),
  },
  {
    name: 'contractops: duties that end in marks',
    size: 8,
    make: (size, { word }) =>
      contract(
        `This Agreement is between Acme Corp. ("${word}x") and Globex LLC (the "Client").\n\n` +
          times(size, () => `Client shall ${word} ${','.repeat(3_800)}x.`).join('\n\n'),
      ),
  },
  {
    name: 'contractops: numbers in words',
    size: 1_900,
    make: (size) => contract('one hundred and '.repeat(size)),
  },
  {
    name: 'packetops: one document',
    size: 64_000,
    make: (size, { word }) =>
      work('packetops', {
        title: word,
        required_sections: ['a'],
        items: [{ name: 'n', section: 'a', content: 'x'.repeat(size) }],
      }),
  },
  {
    name: 'scout: services that all do what each need says',
    size: 5,
    make: (size, { word }) =>
      work('scout', {
        task: times(60, (at) => `${word} ${letters(at + 40)}`).join(', '),
        registry: times(size, (at) =>
          service(
            at,
            times(60, () => word),
          ),
        ),
      }),
  },
  {
    name: 'scout: needs',
    size: 15,
    make: (size, { word }) =>
      work('scout', {
        task: times(size, (at) => `${word} ${letters(at + 40)}`)
          .join(', ')
          .slice(0, 4_000),
        registry: times(60, (at) =>
          service(
            at,
            times(60, () => word),
          ),
        ),
      }),
  },
  {
    name: 'tokenops: usage of models with many prices',
    size: 1_000,
    make: (size, { word }) =>
      work('tokenops', {
        price_table: times(5_000, () => price(word)),
        usage: times(size, (at) => usage(word, { agent: `a${at}` })),
      }),
  },
  {
    name: 'tokenops: a model for each row',
    // From here on the table of models is a large object of the heap, so that no doubling crosses that step.
    size: 5_000,
    make: (size) =>
      work('tokenops', { price_table: [], usage: times(size, (at) => usage(`m${at}`)) }),
  },
  {
    name: 'energyops: readings of one instant',
    size: 4_000,
    make: (size, { amount }) =>
      work('energyops', {
        ...meter,
        readings: times(size, () => ({ at: '2025-03-01T00:00:00Z', value: amount })),
      }),
  },
  {
    name: 'energyops: bands of each minute over years',
    size: 50,
    make: (size, { amount }) => {
      const day = (at: number) => new Date(Date.UTC(2015, 0, 1 + at)).toISOString().slice(0, 10)
      const band = (at: number) => ({
        name: `b${at}`,
        rate_minor: 1,
        from: '00:00',
        to: `00:${String(at + 1).padStart(2, '0')}`,
      })
      return work('energyops', {
        meter: { id: 'm', unit: 'kWh', interval_minutes: 60, time_zone: 'UTC' },
        tariff: { currency: 'USD', bands: times(48, band) },
        bill: { from: day(0), to: day(size - 1), total_minor: 1 },
        readings: times(size * 24, (at) => ({
          at: new Date(Date.UTC(2015, 0, 1, at)).toISOString(),
          value: amount,
        })),
      })
    },
  },
  {
    name: 'distributionops: a level for each recipient',
    size: 500,
    make: (size, { amount }) =>
      work('distributionops', {
        pool: { amount_minor: size * 1_000, currency: 'USD' },
        recipients: times(size, (at) => ({
          id: `r${at}`,
          weight: 1 + at,
          cap_minor: 2 * amount + at,
          floor_minor: at % 7,
        })),
      }),
  },
  {
    name: 'csv: quotes and line breaks in cells',
    size: 1_500,
    make: (size, { word }) => ({
      kind: 'csv',
      rail: 'tokenops',
      value: {
        head: { price_table: [] },
        list: 'usage',
        text: `at,model,input_tokens,output_tokens,agent\n${`2026-01-01T00:00:00Z,"${word}",1,1,"a ""b"" c"\n`.repeat(size)}`,
      },
    }),
  },
  {
    name: 'diligenceops: questions about what every passage says',
    size: 20,
    make: (size, { word }) =>
      work('diligenceops', {
        questions: times(size, (at) => ({
          id: `q${at}`,
          text: `Where are the ${word} backups kept?`,
        })),
        evidence: times(400, (at) => ({
          id: `e${at}`,
          title: 't',
          text: `The ${word} backups are kept at site ${letters(at)}.`,
        })),
      }),
  },
  {
    name: 'packetops: documents of every section',
    size: 12,
    make: (size, { word }) =>
      work('packetops', {
        title: word,
        required_sections: times(100, (at) => `s${at}`),
        items: times(size, (at) => ({
          name: `n${at}`,
          section: `s${at % 100}`,
          content: 'x'.repeat(4_000),
        })),
      }),
  },
  {
    name: 'replay: entries, documents and receipts by a set of many keys',
    size: 10,
    make: async (size) => ({ kind: 'replay', value: await replayOf(size) }),
  },
]

const finished = await finishedTask(packetops)

/** A replay package of many entries, documents, receipts and keys, each of which is looked at. */
function replayOf(size: number): Promise<unknown> {
  const { replay_package: made } = finished
  const receipt = made.receipts[0] ?? ''
  const [key] = made.keys.keys
  let state: TaskState | 'none' = 'exception_open'
  const ledger = [...made.ledger]
  const circle: TaskEvent[] = ['replay_prepared', 'replayed', 'exception_raised']
  for (const event of times(3 * size, (at) => circle[at % 3] as TaskEvent)) {
    const to = nextTaskState(state, event, 'callback_pending') as TaskState
    const data = { receipt_id: receiptId(receipt) }
    const move = {
      event,
      from_state: state,
      to_state: to,
      at: '2026-11-21T11:00:00.000Z',
      actor: 'service',
      data,
    }
    ledger.push({ ...ledgerEntry(made.task_id, ledger.at(-1), move), data })
    state = to
  }
  const others = times(20_000, (at) => ({ ...key, kid: `other-${at}` }))
  const documents = times(10 * size, (at) => ({ sha256: digestOf({ at }), content: { at } }))
  return signedFile({
    ...made,
    ledger,
    documents: [...made.documents, ...documents],
    receipts: [...made.receipts, ...times(size, () => receipt)],
    keys: { keys: [...others, ...made.keys.keys] } as typeof made.keys,
  })
}
